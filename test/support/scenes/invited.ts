import { expect } from 'vitest'
import { openRequest } from '../../../src/admission/access/store.ts'
import { insertInvite } from '../../../src/admission/invites/store.ts'
import { linkAccount } from '../../../src/people/sign-in-methods.ts'
import { createUser } from '../../../src/people/store.ts'
import { hours } from '../../../src/shared/time.ts'
import type { Roles } from '../../../src/shared/user.ts'
import { refusalMessage } from '../../../src/sign-in/providers/refusal.ts'
import type { FakeProvider } from '../fakes/fake-providers.ts'
import { browser } from '../people.ts'
import type { invitedRows } from '../sign-in-cases.ts'
import type { Toolbox } from '../toolbox.ts'
import { labelOf, returnFromProvider, startAtProvider } from './round-trip.ts'

type Row = (typeof invitedRows)[number]
export type InvitedCase = { who: string; email: string; for: string; status: string; signUp: string }

const dimensions = {
  email: { known: ['verified', 'unverified'], newcomer: ['verified', 'unverified'], 'by form': ['entered'] },
  for: ['anyone', 'this email', 'mailed', 'another'],
  status: { known: ['Blocked', 'Inactive', 'Waiting', 'Active'], newcomer: ['–'], 'by form': ['–'] },
  signUp: ['open', 'approval', 'closed'],
} as const

/** All possible cases, whether or not the document covers them. */
export const invitedCases: readonly InvitedCase[] = (['known', 'newcomer', 'by form'] as const).flatMap((who) =>
  dimensions.email[who].flatMap((email) =>
    dimensions.for.flatMap((whom) =>
      dimensions.status[who].flatMap((status) =>
        dimensions.signUp.map((signUp) => ({ who, email, for: whom, status, signUp })),
      ),
    ),
  ),
)

const statuses = ['Blocked', 'Inactive', 'Active']
let people = 0

export const createInvite = (
  { db, now }: Pick<Toolbox, 'db' | 'now'>,
  more: Partial<Parameters<typeof insertInvite>[1]> = {},
): Promise<{ id: string; token: string }> =>
  insertInvite(
    db.q,
    {
      roles: { Admin: 0, Tools: 1 },
      tags: [],
      email: null,
      mailed: false,
      uses: 1,
      expiresAt: now() + hours(1),
      createdBy: null,
      ...more,
    },
    now(),
  )

export async function stateOf({ db }: Pick<Toolbox, 'db'>, email: string, inviteId: string) {
  const users = db.q.selectFrom('users').select(['id', 'email_verified', 'status', 'roles']).where('email', '=', email)
  const user = await users.executeTakeFirst()
  const { used } = await db.q.selectFrom('invite').select('used').where('id', '=', inviteId).executeTakeFirstOrThrow()
  return {
    used,
    verified: user && Boolean(user.email_verified),
    status: user && statuses[user.status],
    tools: user && (JSON.parse(user.roles) as Roles).Tools,
  }
}

/** Sets up a case, goes through the whole sign-in, and returns the result. */
export async function runInvitedCase(box: Toolbox, one: InvitedCase, fake: FakeProvider) {
  people += 1
  const [accountId, username] = [String(9_000 + people), `guest${people}`]
  const email = `${username}@example.com`
  const bound = { anyone: null, 'this email': email, mailed: email, another: `not-${email}` }[one.for] ?? null
  const { id, token } = await createInvite(box, { email: bound, mailed: one.for === 'mailed' })
  const verified = one.email === 'verified'
  if (one.who === 'known') {
    const user = { name: email, email, emailVerified: verified, roles: { Admin: 0, Tools: 0 } } as const
    const status = statuses.indexOf(one.status === 'Waiting' ? 'Inactive' : one.status)
    const userId = await createUser(box.db, box.db.q, { ...user, status }, box.now())
    if (one.status === 'Waiting') await openRequest(box.db.q, { userId, kind: 'sign-up', message: null }, box.now())
    const account = { providerId: fake.id, accountId, accountUsername: username }
    await linkAccount(box.db, box.db.q, userId, account, box.now())
  }
  const screen = browser(box.app, `203.1.${people >> 8}.${people & 255}`)
  if (one.who === 'by form') {
    const body = { token, name: 'Guest', email, username, password: 'seven green teapots' }
    const answer = await screen.post('/api/v1/auth/invite', body)
    const signedIn = answer.status === 201 && (await screen.signIn(username)).status === 200
    return { in: signedIn, error: answer.body.error, ...(await stateOf(box, email, id)) }
  }
  // Providers report a known user's email as unverified, so only the case's own email counts.
  fake.person({ id: accountId, username, email, verified: verified && one.who === 'newcomer' })
  expect((await screen.post('/api/v1/auth/invite', { token })).status).toBe(204)
  const back = await startAtProvider(screen, { provider: fake.id, callbackURL: '/user' })
  const { error } = await returnFromProvider(screen, back)
  const { user } = (await screen.get('/api/v1/auth/session')).body
  return { in: user !== null, error, ...(await stateOf(box, email, id)) }
}

/** The expected result, derived from the document's wording. */
export function expectedOf(one: InvitedCase, outcome: string, fake: FakeProvider) {
  const [, why] = /refused: (\w+)/.exec(outcome) ?? []
  const isRefused = outcome.includes('refused')
  const isNew = outcome.startsWith('new user')
  const accepted = /(?<!not )accepted/.test(outcome)
  const exists = one.who === 'known' || isNew
  const isVerified = isNew
    ? !outcome.includes('unverified address')
    : one.email === 'verified' || outcome.includes('address verified')
  const status = one.who === 'known' && one.status !== 'Waiting' ? one.status : isRefused ? 'Inactive' : 'Active'
  const error = why ? refusalMessage(why as Parameters<typeof refusalMessage>[0], labelOf(fake)) : undefined
  return {
    in: !isRefused,
    error: one.who === 'by form' && isRefused ? expect.stringContaining('for a different email') : error,
    used: accepted ? 1 : 0,
    verified: exists ? isVerified : undefined,
    status: exists ? status : undefined,
    tools: exists ? (accepted ? 1 : 0) : undefined,
  }
}

export const rowCovers = ({ cells }: Row, one: InvitedCase): boolean =>
  Object.values(one).every((value, n) => cells[n]?.includes(value) || cells[n]?.includes('any'))
