import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects, type Dialect, dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson } from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { activeAdmins } from '../people/store.ts'
import { Active, knownTags } from '../shared/user.ts'

const path = '/api/v1/admin/user'
type Screen = ReturnType<typeof browser>
type Someone = { id: string; email: string }

/** Every call after which a user is no longer an admin. */
const ways: readonly [string, (screen: Screen, person: Someone) => ReturnType<Screen['delete']>][] = [
  ['demoting', (screen, { id }) => screen.patch(path, { id, roles: { Admin: 1 } })],
  ['deactivating', (screen, { id }) => screen.patch(path, { id, status: 1 })],
  ['blocking', (screen, { id }) => screen.patch(path, { id, status: 0, name: 'Gone' })],
  ['deleting', (screen, { email }) => screen.delete(`${path}?email=${email}`)],
]

/** A server whose users are deleted before each test. */
async function emptyHouse(dialect: Dialect) {
  const box = closeAfterwards(await toolbox(dialect))
  beforeEach(() => box.db.q.deleteFrom('users').execute())
  return {
    box,
    admin: (name: string) => createSignedInPerson(box, { name, username: name, roles: { Admin: 2 } }),
    admins: async () => (await activeAdmins(box.db.q).execute()).map(({ id }) => id),
  }
}

describe.each(bothDialects)('admins on %s', async (dialect) => {
  const { box, admin, admins } = await emptyHouse(dialect)
  const logOf = ({ id }: Someone) => box.db.q.selectFrom('audit').select('action').where('actor_id', '=', id).execute()

  test.each(ways)('%s the last admin is refused with a message and changes nothing', async (_, act) => {
    const boss = await admin('boss')
    await createPerson(box.context, { roles: { Admin: 2 }, status: 1 })
    await createPerson(box.context, { roles: { Admin: 1 } })
    const state = () => box.db.q.selectFrom('users').select(['id', 'name', 'status', 'roles']).orderBy('id').execute()
    const before = await state()
    const { status, body } = await act(boss.screen, boss)
    expect([status, body.error]).toEqual([409, expect.stringMatching(/last .*admin/)])
    expect(await state()).toEqual(before)
    expect(await logOf(boss)).toEqual([])
  })

  test.each(ways)('%s an admin is refused if no other could sign in, since their provider is off', async (_, act) => {
    const boss = await admin('boss')
    const other = await createPerson(box.context, { roles: { Admin: 2 } })
    const octo = { providerId: '002_Github', accountId: '42', accountUsername: 'octo' }
    await linkAccount(box.db, box.db.q, other.id, octo, box.now())
    expect((await act(boss.screen, boss)).status).toBe(409)
  })

  test.each(ways)('%s one of two admins works', async (_, act) => {
    const boss = await admin('boss')
    const other = await admin('other')
    expect((await act(boss.screen, other)).status).toBe(200)
    expect(await admins()).toEqual([boss.id])
  })

  test.each(ways)('%s each other at the same time leaves one of two admins', async (_, act) => {
    for (let round = 0; round < 5; round++) {
      await box.db.q.deleteFrom('users').execute()
      const [one, two] = [await admin(`one${round}`), await admin(`two${round}`)]
      const answers = await Promise.all([act(one.screen, two), act(two.screen, one)])
      expect(await admins(), 'one admin is left').toHaveLength(1)
      // A caller who is no longer an admin is refused before the call is examined.
      for (const { status } of answers) expect([200, 401, 403, 404, 409]).toContain(status)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  test('ten admins who demote themselves at the same time leave one', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, (_, n) => admin(`a${n}`)))
    const answers = await Promise.all(ten.map(({ id, screen }) => screen.patch(path, { id, roles: { Admin: 0 } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 409])
    expect(await admins()).toHaveLength(1)
  })

  test('the last admin can change everything else, but keeps a sign-in method', async () => {
    const boss = await admin('boss')
    const edit = (body: object) => boss.screen.patch(path, { id: boss.id, ...body })
    expect((await edit({ name: 'Chief', roles: { Tools: 0 }, tags: ['Admin'], credUsername: 'chief' })).status).toBe(
      200,
    )
    // GitHub isn't configured here, so this account can't be used to sign in.
    const octo = { providerId: '002_Github', accountId: '42', accountUsername: 'octo' }
    await linkAccount(box.db, box.db.q, boss.id, octo, box.now())
    const { providers } = (await boss.screen.get(`${path}?email=${boss.email}`)).body
    for (const remaining of [[], [providers[0]]]) {
      const { status, body } = await edit({ providers: remaining })
      expect([status, body.error]).toEqual([409, expect.stringContaining('only sign-in method')])
    }
    expect((await edit({ providers: [providers[1]] })).status).toBe(200)
    expect((await browser(box.app).signIn('chief')).status).toBe(200)
  })

  test('of two concurrent deletes of a user, one succeeds and one returns 404', async () => {
    const boss = await admin('boss')
    for (let round = 0; round < 5; round++) {
      const { email } = await createPerson(box.context)
      const answers = await Promise.all([1, 2].map(() => boss.screen.delete(`${path}?email=${email}`)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    }
    expect(await logOf(boss)).toEqual(Array(5).fill({ action: 'user.delete' }))
  })

  test('concurrent edits of different fields of a user are all kept', async () => {
    const boss = await admin('boss')
    const { id, email } = await createPerson(box.context)
    const bodies = [{ name: 'New' }, { tags: ['Verified'] }, { roles: { Admin: 1 } }, { roles: { Tools: 2 } }]
    const answers = await Promise.all(bodies.map((body) => boss.screen.patch(path, { id, ...body })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await boss.screen.get(`${path}?email=${email}`)).body).toMatchObject({
      name: 'New',
      tags: ['Verified'],
      roles: { Admin: 1, Tools: 2 },
    })
  })
})

describe.each(dialects)('arbitrary edits of users on %s', async (dialect) => {
  const { box, admin, admins } = await emptyHouse(dialect)

  test('no request body from a caller without Admin 2 changes anything', async () => {
    await admin('boss')
    const people = await Promise.all(
      [0, 1].map((level) => createSignedInPerson(box, { roles: { Admin: level as 0 | 1 } })),
    )
    const state = async () => {
      const users = box.db.q.selectFrom('users').select(['id', 'name', 'email', 'status', 'roles', 'tags'])
      return [await users.orderBy('id').execute(), await box.db.q.selectFrom('audit').select('id').execute()]
    }
    const before = await state()
    const id = fc.constantFrom(...people.map((person) => person.id))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...people), id, bodies, async ({ screen }, id, body) => {
        for (const answer of [
          await screen.patch(path, { id, ...body }),
          await screen.post(path, { email: 'me@example.com', name: 'Me', ...body }),
          await screen.patch(`${path}/password`, { id, password: 'eleven purple violins', ...body }),
        ])
          expect(answer.status).toBe(403)
      }),
      { numRuns: 40 },
    )
    expect(await state()).toEqual(before)
  })

  test('an edit applies completely or not at all, and always leaves an admin', async () => {
    const boss = await admin('boss')
    const other = await createPerson(box.context, { roles: { Admin: 1 } })
    const read = async () => (await boss.screen.get(`${path}s`)).body as { id: string }[]
    // Otherwise one edit could make the other user an admin, and a later one demote the boss, who is the caller.
    const demoteOther = () => boss.screen.patch(path, { id: other.id, roles: { Admin: 1 }, status: Active })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(boss.id, other.id), bodies, async (id, body) => {
        const before = (await read()).find((one) => one.id === id)
        const answer = await boss.screen.patch(path, { id, ...body })
        const after = (await read()).find((one) => one.id === id)
        expect([200, 400, 409]).toContain(answer.status)
        const { roles = {}, logInCount: _, createdAt: __, ...rest } = body as Record<string, object>
        const requested = { ...before, ...rest, roles: { ...Object(before).roles, ...roles } }
        const comparable = (user: object | undefined) => ({ ...user, updatedAt: 0, lastUsageTimestamp: 0 })
        expect(comparable(after)).toEqual(comparable(answer.status === 200 ? requested : before))
        expect(await admins()).toContain(boss.id)
        expect((await demoteOther()).status).toBe(200)
      }),
      { numRuns: 60 },
    )
  })
})

const level = fc.constantFrom(0, 1, 2, 3, '2', null)
/** Request bodies, some of them valid. */
const bodies = fc
  .record(
    {
      name: fc.constantFrom('Ada', 'Ada Lovelace', ''),
      status: fc.constantFrom(0, 1, Active, Active, 3),
      roles: fc.record({ Admin: level, Tools: level }, { requiredKeys: [] }),
      tags: fc.uniqueArray(fc.constantFrom(...knownTags, 'King')),
      logInCount: fc.integer(),
      createdAt: fc.integer(),
    },
    { requiredKeys: [] },
  )
  .map((body) => ({ ...body }) as object)
