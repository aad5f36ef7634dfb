import { afterAll, describe, expect, test } from 'vitest'
import { type Dialect, dialects } from '../../test/support/database/databases.ts'
import { startFakeOpenId } from '../../test/support/fakes/fake-openid.ts'
import { type FakeProvider, startFakeDiscord, startFakeGithub } from '../../test/support/fakes/fake-providers.ts'
import { browser, startSession } from '../../test/support/people.ts'
import { expectedOf, invitedCases, rowCovers, runInvitedCase } from '../../test/support/scenes/invited.ts'
import { labelOf, refusalPath, returnFromProvider, startAtProvider } from '../../test/support/scenes/round-trip.ts'
import {
  type Case,
  cases,
  invitedRows,
  inviteSentences,
  type Row,
  rows,
  rowsOf,
  sentences,
} from '../../test/support/sign-in-cases.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { createUser } from '../people/store.ts'
import { accountStatuses, Inactive } from '../shared/user.ts'
import { type Refusal, refusalMessage, refusals } from '../sign-in/providers/refusal.ts'
import { openRequest } from './access/store.ts'
import { inviteRefusals } from './invites/store.ts'

test('exactly one row of docs/sign-in.md covers each case, and every row covers a case', () => {
  const unclear = cases.filter((one) => rowsOf(one).length !== 1)
  expect(unclear).toEqual([])
  const used = new Set(cases.flatMap(rowsOf))
  expect(rows.filter((row) => !used.has(row))).toEqual([])
  const unclearInvited = invitedCases.filter((one) => invitedRows.filter((row) => rowCovers(row, one)).length !== 1)
  expect(unclearInvited).toEqual([])
  expect(invitedRows.filter((row) => !invitedCases.some((one) => rowCovers(row, one)))).toEqual([])
})

test('docs/sign-in.md quotes the messages of all refusals', () => {
  const messages = Object.keys(refusals).map((why) => [why, refusalMessage(why as Refusal, 'GitHub')])
  expect(sentences).toEqual(Object.fromEntries(messages))
  expect(inviteSentences).toEqual(inviteRefusals)
})

const numberOf = (status: string) =>
  status === 'Waiting' ? Inactive : Number(Object.entries(accountStatuses).find(([, name]) => name === status)?.[0])
let people = 0

describe.each(dialects)('sign-in decisions on %s', async (dialect: Dialect) => {
  const boxes: Record<string, Toolbox> = {}
  const fakes = [await startFakeDiscord(), await startFakeGithub(), await startFakeOpenId()]
  const env = Object.assign({}, ...fakes.map((fake) => fake.env))
  for (const signUp of ['open', 'approval', 'closed']) {
    boxes[signUp] = await toolbox(dialect, { ...env, SIGN_UP: signUp })
    // Better Auth compares sessions with the real clock.
    boxes[signUp].pass(Date.now() - boxes[signUp].now())
  }
  afterAll(async () => {
    for (const box of Object.values(boxes)) await box.close()
    for (const fake of fakes) await fake.close()
  })

  const stateOf = async ({ db }: Toolbox, accountId: string, email: string) => {
    const user = await db.q
      .selectFrom('users')
      .select(['id', 'email_verified', 'status'])
      .where('email', '=', email)
      .executeTakeFirst()
    const links = await db.q
      .selectFrom('provider_links')
      .select('user_id')
      .where('account_id', '=', accountId)
      .execute()
    const audit = await db.q.selectFrom('audit').select('action').where('target', '=', email).execute()
    return {
      status: user?.status,
      verified: user && Boolean(user.email_verified),
      links: links.map(({ user_id }) => (user_id === user?.id ? 'own' : "another's")),
      audit: audit.map(({ action }) => action).sort(),
    }
  }

  /** Sets up a case, signs in from start to end, and returns the result. */
  async function play(one: Case, fake: FakeProvider) {
    const box = boxes[one.signUp]!
    people += 1
    const [personId, username] = [String(5_000 + people), `who${people}`]
    const accountId = fake.accountId(personId)
    const atProvider = `${username}@example.com`
    const ownAddress = one.here === 'free' ? `${username}-here@example.com` : atProvider
    const exists = one.flow === 'linking' || one.identity === 'known' || !['free', '–'].includes(one.here)
    const roles = { Admin: one.here === 'admin' ? 1 : 0, Tools: 0 } as const
    const make = (email: string, status: string, emailVerified: boolean) =>
      createUser(box.db, box.db.q, { name: email, email, emailVerified, roles, status: numberOf(status) }, box.now())
    // A user who links an account is active at the start.
    const before = one.flow === 'linking' ? 'Active' : one.status
    const id = exists ? await make(ownAddress, before, one.here !== 'unverified') : undefined
    if (id && one.status === 'Waiting')
      await openRequest(box.db.q, { userId: id, kind: 'sign-up', message: null }, box.now())
    const account = { providerId: fake.id, accountId, accountUsername: 'an older name' }
    const link = (userId: string) => linkAccount(box.db, box.db.q, userId, account, box.now())
    if (one.identity === 'known') await link(id!)
    if (one.identity === "another's") await link(await make(`${username}-other@example.com`, 'Active', true))
    const email = one.email === 'no email' ? null : atProvider
    fake.person({ id: personId, username, email, verified: one.email === 'verified' })

    const session = one.flow === 'linking' ? await startSession(box.context, box.auth, { id: id! }) : undefined
    const screen = browser(box.app, `203.0.${people >> 8}.${people & 255}`, session?.cookie ?? {})
    const by = one.flow === 'linking' ? 'link-social' : 'sign-in/social'
    const back = await startAtProvider(screen, { provider: fake.id, callbackURL: '/user' }, by)
    if (session)
      await box.db.q
        .updateTable('users')
        .set({ status: numberOf(one.status) })
        .where('id', '=', id!)
        .execute()
    const ending = await returnFromProvider(screen, back)
    const { user } = (await screen.get('/api/v1/auth/session')).body
    const state = await stateOf(box, accountId, exists ? ownAddress : atProvider)
    const fresh = screen.jar.get(box.auth.cookie.name) !== session?.cookie[box.auth.cookie.name]
    return { ...ending, in: user !== null && (fresh || session !== undefined), state }
  }

  /** The expected result, derived from the wording of the document. */
  function expected(one: Case, outcome: string, provider: string) {
    const [, why] = /refused: (\w+)/.exec(outcome) ?? []
    const isNew = outcome.startsWith('new user')
    const had = one.flow === 'linking' || one.identity === 'known' || !['free', '–'].includes(one.here)
    const verified = one.here !== 'unverified' || outcome.includes('address verified')
    const links = /linked/.test(outcome.replace('linkedElsewhere', '')) || isNew || one.identity === 'known'
    const deed = outcome.startsWith('linked') ? ['provider.link'] : []
    const edit = /^(signed in|stays linked), address verified/.test(outcome) ? ['user.edit'] : []
    const takeover = outcome.includes('with the address') ? ['user.edit'] : []
    const ending = why
      ? { status: 302, to: refusalPath, error: refusalMessage(why as Refusal, provider) }
      : { status: 302, to: '/user', error: undefined }
    const user = { status: numberOf(one.status), verified }
    const newcomer = { status: why ? 1 : 2, verified: !outcome.includes('unverified address') }
    const found = had ? user : { status: undefined, verified: undefined }
    return {
      ...ending,
      in: one.flow === 'linking' ? one.status === 'Active' : !why,
      state: {
        ...(isNew ? newcomer : found),
        links: one.identity === "another's" ? ["another's"] : links ? ['own'] : [],
        audit: isNew ? [...takeover, 'user.signup'] : [...deed, ...edit],
      },
    }
  }

  test.each(rows.map((row) => [row.flow, row.cells.map((cell) => cell.join('/')).join(' · '), row] as const))(
    '%s: %s',
    async (_flow, _cells, row) => {
      for (const one of turnsOf(dialect, casesOf(row))) {
        const fake = fakes[people % fakes.length]!
        expect(await play(one, fake), JSON.stringify(one)).toEqual(expected(one, row.outcome, labelOf(fake)))
      }
    },
  )

  test.each(invitedRows.map((row) => [row.cells.map((cell) => cell.join('/')).join(' · '), row] as const))(
    'with an invitation: %s',
    async (_cells, row) => {
      const cases = invitedCases.filter((one) => rowCovers(row, one))
      for (const [n, one] of turnsOf(dialect, oneOfEachSignUp(cases, row)).entries()) {
        const fake = fakes[n % 2]!
        const result = await runInvitedCase(boxes[one.signUp]!, one, fake)
        expect(result, JSON.stringify(one)).toEqual(expectedOf(one, row.outcome, fake))
      }
    },
  )
})

/** Each case runs on one database, since the rule depends on neither; few on SQLite, which every test run includes. */
const turnsOf = <One>(dialect: Dialect, all: readonly One[]): One[] =>
  all.filter((_, n) => all.length === 1 || (n % 4 === 0) === (dialect === 'sqlite'))

/** If SIGN_UP doesn't matter for a row, its cases rotate through the values. */
const casesOf = (row: Row): Case[] =>
  oneOfEachSignUp(
    cases.filter((one) => rowsOf(one)[0] === row),
    row,
  )

function oneOfEachSignUp<One>(all: readonly One[], row: { cells: Row['cells'] }): One[] {
  const matters = !row.cells.at(-1)?.includes('any')
  return all.filter((_, n) => matters || n % 3 === Math.floor(n / 3) % 3)
}
