import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { HttpError } from '../../shared/http-error.ts'
import { Inactive } from '../../shared/user.ts'
import { accountName } from '../audit/fields.ts'
import { writeAudit } from '../audit/log.ts'
import type { AccountsConfig } from '../config.ts'
import { logSignInChange, signInChanged } from '../news/sign-in-news.ts'
import { linkAccount } from '../users/sign-in-methods.ts'
import { activeAdmins, createUser, markEdited } from '../users/store.ts'
import { type Account, admission, type Facts, type Verdict } from './admission.ts'
import type { Identity } from './catalogue/provider.ts'
import type { Refusal } from './refusal.ts'

export type SignInContext = Pick<Context<AccountsConfig>, 'config' | 'db' | 'now' | 'events' | 'tell'>
/** A user who returns from a provider; `linking` if they link an identity, or prove who they are by one: who started it, and who is signed in now. */
type Arrival = {
  providerId: string
  identity: Identity
  origin: Origin
  linking: { begunBy: string; now: string | undefined; proves: boolean } | undefined
}
type SignInResult = { user: { id: string; email: string } } | { refused: Refusal }

/** Decides by admission who this is and writes what follows, all in one transaction; a refusal writes nothing. */
export async function signInWithProvider(context: SignInContext, arrival: Arrival): Promise<SignInResult> {
  const attempt = () =>
    context.db.q.transaction().execute(async (tx) => {
      const verdict = admission(await factsOf(context, tx, arrival))
      const result = await applyVerdict(context, tx, arrival, verdict)
      return {
        verdict,
        result,
        events: [...(await notifyAdmins(context, tx, verdict)), ...(await notifyLoser(context, tx, verdict))],
      }
    })
  const { verdict, result, events } = await attempt().catch((error: unknown) => {
    // Somebody took the email or the identity at the same moment, which the second attempt sees.
    if (isCollision(context, error)) return attempt()
    throw error
  })
  if (verdict.do === 'link' || (verdict.do === 'recognize' && verdict.verifies))
    context.events.publish(signInChanged(verdict.user.id))
  context.events.publish(events)
  return result
}

/** Tells all admins that a new user is waiting for approval. */
async function notifyAdmins({ tell }: SignInContext, tx: Queries, verdict: Verdict): Promise<readonly LiveEvent[]> {
  if (verdict.do !== 'create' || verdict.status !== Inactive) return []
  const message = `${verdict.email.address} has signed up and is waiting for approval. Set the status to Active under Edit User.`
  const admins = await activeAdmins(tx).execute()
  return tell(
    tx,
    admins.map(({ id: userId }) => ({ type: 'account', userId, message, toast: 'info' })),
  )
}

/** Tells the user whose email went to somebody who has proved that it is theirs. */
async function notifyLoser({ tell }: SignInContext, tx: Queries, verdict: Verdict): Promise<LiveEvent[]> {
  if (verdict.do !== 'create' || !verdict.from) return []
  const { id, email } = verdict.from
  const message = `Someone else has proved that ${email} is theirs, so your account no longer has an email.`
  return [accessChanged(id), ...(await tell(tx, [{ type: 'account', userId: id, message, toast: 'warning' }]))]
}

const isCollision = ({ db }: SignInContext, error: unknown) =>
  (error instanceof HttpError && error.status === 409) || db.uniqueViolation(error) !== undefined

async function factsOf(
  context: SignInContext,
  tx: Queries,
  { providerId, identity, linking }: Arrival,
): Promise<Facts> {
  const { email, accountId } = identity
  const { signUp } = context.config
  const link = await tx
    .selectFrom('provider_links')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (linking) {
    const owner = link && (await accounts(tx, 'id', link.user_id).executeTakeFirst())
    const now = linking.now === undefined ? undefined : await lockAccount(context, tx, 'id', linking.now)
    const begun = { ...linking, now }
    return { email, owner: owner && personOf(owner), holder: undefined, linking: begun, signUp }
  }
  const owner = link && (await lockAccount(context, tx, 'id', link.user_id))
  const holder = email && !owner ? await lockAccount(context, tx, 'email', email.address) : undefined
  return { email, owner, holder, linking: undefined, signUp }
}

const accounts = (tx: Queries, by: 'id' | 'email', value: string) =>
  tx.selectFrom('users').select(['id', 'email', 'email_verified', 'status', 'admin_level']).where(by, '=', value)

type Row = { id: string; email: string; email_verified: boolean | 0 | 1; status: number; admin_level: number | null }
const personOf = ({ email_verified, admin_level, ...rest }: Row): Account => ({
  ...rest,
  emailVerified: Boolean(email_verified),
  isAdmin: (admin_level ?? 0) > 0,
})

/** Locks the one user that the verdict is about: since only one is locked, no two transactions wait for each other. */
async function lockAccount(
  { db }: SignInContext,
  tx: Queries,
  by: 'id' | 'email',
  value: string,
): Promise<Account | undefined> {
  const row = await lockRows(db, accounts(tx, by, value)).executeTakeFirst()
  return row && personOf(row)
}

async function applyVerdict(
  context: SignInContext,
  tx: Queries,
  arrival: Arrival,
  verdict: Verdict,
): Promise<SignInResult> {
  if (verdict.do === 'refuse') return { refused: verdict.why }
  if (verdict.do === 'create') return create(context, tx, arrival, verdict)
  const { user } = verdict
  if (verdict.do === 'link') {
    await link(context, tx, arrival, user.id)
    // A link that a sign-in adds doesn't count as an edit.
    if (arrival.linking) await markEdited(context.db, tx, user.id, { by: user.id, at: context.now() })
  } else await rename(context, tx, arrival)
  if (verdict.verifies) await verify(context, tx, user.id)
  const changes = [
    ...(verdict.do === 'link' ? [{ field: 'providers', from: null, to: accountName(accountOf(arrival)) }] : []),
    ...(verdict.verifies ? [{ field: 'emailVerified', from: false, to: true }] : []),
  ]
  if (changes.length > 0)
    await logSignInChange(context, tx, context.now(), user.id, {
      actor: { id: user.id, name: user.email, ...arrival.origin },
      action: verdict.do === 'link' ? 'provider.link' : 'user.edit',
      target: { id: user.id, name: user.email },
      changes,
    })
  return { user }
}

const accountOf = ({ providerId, identity }: Arrival) => ({
  providerId,
  accountId: identity.accountId,
  accountUsername: identity.username,
})

async function create(
  context: SignInContext,
  tx: Queries,
  arrival: Arrival,
  { email, status, from }: Extract<Verdict, { do: 'create' }>,
): Promise<SignInResult> {
  const { address, verified } = email
  const replaced = from && (await takeEmail(context, tx, from))
  const { name } = arrival.identity
  const roles = { Admin: 0, Tools: 0 } as const
  const user = { name, email: address, emailVerified: verified, roles, status }
  const id = await createUser(context.db, tx, user, context.now())
  await link(context, tx, arrival, id)
  const actor = { id, name: address, ...arrival.origin }
  if (replaced)
    await writeAudit(tx, context.now(), {
      actor,
      action: 'user.edit',
      target: { id: from.id, name: address },
      changes: [{ field: 'email', from: address, to: replaced }],
    })
  await writeAudit(tx, context.now(), {
    actor,
    action: 'user.signup',
    target: { id, name: address },
    changes: [
      { field: 'providers', from: null, to: accountName(accountOf(arrival)) },
      { field: 'emailVerified', from: null, to: verified },
      { field: 'status', from: null, to: status },
    ],
  })
  return status === Inactive ? { refused: 'waiting' } : { user: { id, email: address } }
}

/** Gives a user an address that cannot exist instead of one that they never proved, and returns it. */
async function takeEmail({ db, now }: SignInContext, tx: Queries, { id }: Account): Promise<string> {
  const email = `${id}@unverified.invalid`
  await tx.updateTable('users').set({ email }).where('id', '=', id).execute()
  await markEdited(db, tx, id, { by: null, at: now() })
  return email
}

const link = ({ db, now }: SignInContext, tx: Queries, arrival: Arrival, userId: string) =>
  linkAccount(db, tx, userId, accountOf(arrival), now())

/** Updates the account's username, which may have changed at the provider. */
async function rename({ db, now }: SignInContext, tx: Queries, { providerId, identity }: Arrival) {
  await tx
    .updateTable('provider_links')
    .set({ account_username: identity.username, updated_at: db.timestamp(now()) })
    .where('provider_id', '=', providerId)
    .where('account_id', '=', identity.accountId)
    .execute()
}

async function verify({ db }: SignInContext, tx: Queries, userId: string) {
  await tx
    .updateTable('users')
    .set({ email_verified: db.boolean(true) })
    .where('id', '=', userId)
    .execute()
}
