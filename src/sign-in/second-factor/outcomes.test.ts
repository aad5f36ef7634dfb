import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPasskey, enterPasskey, softPasskey } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { createSignedInPerson } from '../../../test/support/people.ts'
import { type BoxWithProviders, boxWithProviders, signInAt } from '../../../test/support/scenes/round-trip.ts'
import { table } from '../../../test/support/sign-in-cases.ts'
import { linkAccount } from '../../people/sign-in-methods.ts'

const origin = 'https://tools.example.com'
const each = (cell: string, values: readonly string[]) => (cell === 'any' ? values : cell.split(', '))
/** Every case from every row of the documented table. */
const cases = table('The second step').flatMap(([by = '', app = '', passkey = '', required = '', outcome = '']) =>
  by
    .split(', ')
    .flatMap((by) =>
      each(app, ['on', 'off']).flatMap((app) =>
        each(passkey, ['yes', 'no']).flatMap((passkey) =>
          each(required, ['yes', 'no']).map((required) => ({ by, app, passkey, required, outcome })),
        ),
      ),
    ),
)

test('the table has exactly one row for each case', () => {
  const keys = cases.map(({ outcome: _, ...one }) => Object.values(one).join())
  expect(new Set(keys).size).toBe(keys.length)
  // Signing in by passkey requires one, so those combinations are half as many.
  expect(keys).toHaveLength(2 * 8 + 4)
})

describe.each(dialects)('the second step on %s', (dialect) => {
  const boxes = new Map<string, BoxWithProviders>()
  beforeAll(async () => {
    for (const [required, rule] of Object.entries({ yes: 'all', no: 'none' }))
      boxes.set(required, await boxWithProviders(dialect, { BASE_URL: origin, REQUIRE_SECOND_FACTOR: rule }))
  })
  afterAll(async () => {
    for (const it of boxes.values()) await it.close()
  })

  test.each(cases)('by $by with app $app, passkey $passkey, required $required: $outcome', async (row) => {
    const it = boxes.get(row.required)
    if (!it) throw new Error(`There is no ${row.required}.`)
    const { box } = it
    const person = it.somebody()
    const user = await createSignedInPerson(box, { name: person.username, username: person.username })
    const link = { providerId: it.discord.id, accountId: person.id, accountUsername: person.username }
    await linkAccount(box.db, box.db.q, user.id, link, box.now())
    it.discord.person(person)
    const device = softPasskey(origin)
    if (row.passkey === 'yes') expect((await addPasskey(user.screen, device)).status).toBe(201)
    if (row.app === 'on') {
      const app = { user_id: user.id, secret: 'sealed', codes: '[]', since: box.now() }
      await box.db.q.insertInto('second_factor').values(app).execute()
    }
    const screen = it.visitor()
    const firstStep = async () => {
      if (row.by === 'password') return (await screen.signIn(person.username)).body.twoFactorMethods ?? []
      if (row.by === 'provider') return (await signInAt(screen, it.discord.id)).to
      return (await enterPasskey(screen, device)).body.user?.id
    }
    const steps = {
      'asked for a code, or a passkey': ['totp', ...(row.passkey === 'yes' ? ['passkey'] : [])],
      'asked for a passkey': ['passkey'],
    }[row.outcome]
    const isAsked = row.outcome.startsWith('asked')
    expect(await firstStep()).toEqual(
      { password: steps ?? [], provider: isAsked ? '/auth/second-step' : '/', passkey: user.id }[row.by],
    )
    const { user: now } = (await screen.get('/api/v1/auth/session')).body
    expect([now?.id, now?.mustSetUp]).toEqual(
      isAsked ? [undefined, undefined] : [user.id, row.outcome.includes('sets one up') ? true : undefined],
    )
  })
})
