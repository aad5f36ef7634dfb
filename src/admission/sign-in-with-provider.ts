import { randomUUID } from 'node:crypto'
import { auditAndNotify, signInChanged } from '../notices/account-changes.ts'
import { accountName, changesFromNull, writeAudit } from '../people/audit/log.ts'
import { linkAccount } from '../people/sign-in-methods.ts'
import { createUser, lockAdmins, lockUser, lockUserIfAny, saveUser, type UserRef, userById } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'
import { quote } from '../platform/notice.ts'
import { HttpError } from '../shared/http-error.ts'
import { Inactive, type Roles } from '../shared/user.ts'
import type { Arrival, SignInContext, SignInResult } from '../sign-in/providers/provider.ts'
import { secondStepsOf } from '../sign-in/second-factor/rule.ts'
import { isOffered } from '../sign-in/working-methods.ts'
import { notifyAdmins } from './access/ask.ts'
import { changesTo, editUser, replaceUnverifiedEmail } from './access/edit-user.ts'
import { openRequest, requestOf, signUpState } from './access/store.ts'
import { redeemInvite } from './invites/accept.ts'
import { inviteById, inviteEndReason, isInviteFor, retryIfInviteEnded, type StoredInvite } from './invites/store.ts'
import { type Account, type AdmissionDecision, decideAdmission, type Facts } from './rule.ts'

/** The result, and the live events to publish after the commit. */
type Applied = { result: SignInResult; events: readonly LiveEvent[] }

/**
 * Decides on a sign-in and writes the consequences in one transaction; a refusal writes at most a renewed request, and a
 * sign-in that needs a second step nothing.
 */
export async function signInWithProvider(context: SignInContext, arrival: Arrival): Promise<SignInResult> {
  const attempt = () =>
    transact(context.db, async (tx) => {
      const { linking, identity, inviteId: id, offered } = arrival
      const roles = linking && !linking.signsIn ? undefined : identity.roles
      // Lock order: admins before any other user.
      const admins = roles ? await lockAdmins(context.db, tx, (account) => isOffered(offered, account)) : []
      const facts = await factsOf(context, tx, arrival)
      const openedInvite = id === undefined || linking ? undefined : await findOpenedInvite(context, tx, id, facts)
      const decision = decideAdmission({ ...facts, invitation: openedInvite?.fit })
      const invite = openedInvite && 'invite' in openedInvite ? openedInvite.invite : undefined
      if ('user' in decision && !linking && (await needsSecondStep(context, tx, decision.user, roles))) {
        const result = { user: decision.user, isHalfWay: true as const, isLinked: decision.do === 'recognize' }
        return { decision, result, events: [] }
      }
      const { result, events } = await applyDecision(context, tx, arrival, decision, invite)
      const liveEvents = await notifyOfSignUp(context, tx, decision, invite ? undefined : arrival.provider.name)
      const claimed =
        roles && 'user' in result ? await claimRoles(context, tx, { ...arrival, ...result, admins, roles }) : []
      return { decision, result, events: [...events, ...liveEvents, ...claimed] }
    })
  const { decision, result, events } = await retryIfInviteEnded(attempt).catch((error: unknown) => {
    // A concurrent request took the email or the identity; the second attempt sees that.
    if (isCollision(context, error)) return attempt()
    throw error
  })
  if (!('isHalfWay' in result) && (decision.do === 'link' || (decision.do === 'recognize' && decision.verifiesEmail)))
    context.events.publish(signInChanged(decision.user.id))
  context.events.publish(events)
  return result
}

const needsSecondStep = async ({ config }: SignInContext, tx: Queries, { id }: Account, claimed: Roles | undefined) =>
  (await secondStepsOf(tx, config, id, claimed)).length > 0

/** Notifies all admins of a sign-up or a (renewed) wait for approval. `provider` is undefined for invited users. */
async function notifyOfSignUp(
  context: SignInContext,
  tx: Queries,
  decision: AdmissionDecision,
  provider: string | undefined,
): Promise<readonly LiveEvent[]> {
  const isNew = decision.do === 'create' && decision.status === Inactive
  if (isNew)
    return notifyAdmins(context, tx, `${quote(decision.email.address)} has signed up and is waiting for approval.`)
  if (decision.do === 'create' && provider)
    return context.notify(tx, [
      { type: 'access', message: `${quote(decision.email.address)} signed up with ${provider}.` },
    ])
  if (decision.do !== 'refuse' || !decision.waitingUser || !decision.renewsRequest) return []
  return notifyAdmins(
    context,
    tx,
    `${quote(decision.waitingUser.email)} was declined and is asking for approval again.`,
  )
}

/** An opened invitation, which has ended, is for another user, fits this one, or even `names` their email. */
type Opened = { fit: 'ended' | 'other' } | { fit: 'fits' | 'names'; invite: StoredInvite }

/** The invitation opened by a new or waiting user; active users accept theirs once they have a session. */
async function findOpenedInvite(
  { now }: SignInContext,
  tx: Queries,
  id: string,
  { email, linkedUser }: Omit<Facts, 'invitation'>,
): Promise<Opened | undefined> {
  if (linkedUser && linkedUser.signUp !== 'waiting') return undefined
  const person = linkedUser ?? (email && { email: email.address, emailVerified: email.verified })
  const invite = await inviteById(tx, id, now())
  if (!invite || inviteEndReason(invite)) return { fit: 'ended' }
  if (!person || !isInviteFor(invite, person)) return { fit: 'other' }
  return { fit: invite.email === null ? 'fits' : 'names', invite }
}

const isCollision = ({ db }: SignInContext, error: unknown) =>
  (error instanceof HttpError && error.status === 409) || db.uniqueViolation(error) !== undefined

async function factsOf(
  context: SignInContext,
  tx: Queries,
  { provider, identity, linking }: Arrival,
): Promise<Omit<Facts, 'invitation'>> {
  const { email, accountId } = identity
  const { signUp } = context.config
  const link = await tx
    .selectFrom('provider_links')
    .select('user_id')
    .where('provider_id', '=', provider.id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (linking) {
    const linkedUser = link && (await userById(tx, link.user_id))
    const currentUser = linking.now === undefined ? undefined : await lockAccount(context, tx, { id: linking.now })
    return {
      email,
      linkedUser,
      emailHolder: undefined,
      linking: { ...linking, currentUser },
      signUp,
    }
  }
  const linkedUser = link && (await lockAccount(context, tx, { id: link.user_id }))
  const emailHolder = email && !linkedUser ? await lockAccount(context, tx, { email: email.address }) : undefined
  return { email, linkedUser, emailHolder, linking: undefined, signUp }
}

/** Locks the one user that the decision is about. With one lock each, two transactions can't deadlock. */
async function lockAccount({ db, now }: SignInContext, tx: Queries, which: UserRef): Promise<Account | undefined> {
  const user = await lockUserIfAny(db, tx, which)
  if (user?.status !== Inactive) return user
  return { ...user, signUp: signUpState(await requestOf(tx, user.id), now()) }
}

async function applyDecision(
  context: SignInContext,
  tx: Queries,
  arrival: Arrival,
  decision: AdmissionDecision,
  invite: StoredInvite | undefined,
): Promise<Applied> {
  if (decision.do === 'refuse') {
    const { why: refused, waitingUser } = decision
    if (!waitingUser) return { result: { refused }, events: [] }
    if (decision.renewsRequest)
      await openRequest(tx, { userId: waitingUser.id, kind: 'sign-up', message: null }, context.now())
    return { result: { refused, waitingUserId: waitingUser.id }, events: [] }
  }
  if (decision.do === 'create') return createProviderUser(context, tx, arrival, decision, invite)
  const { user } = decision
  if (decision.do === 'link') {
    await linkProvider(context, tx, arrival, user.id)
    // A link that a sign-in adds doesn't count as an edit.
    if (arrival.linking) await saveUser(context.db, tx, user.id, {}, { by: user.id, at: context.now() })
  } else await updateAccountUsername(context, tx, arrival)
  if (decision.verifiesEmail) await saveUser(context.db, tx, user.id, { emailVerified: true }, 'no edit')
  const changes = [
    ...(decision.do === 'link' ? [{ field: 'providers', from: null, to: accountName(accountOf(arrival)) }] : []),
    ...(decision.verifiesEmail ? [{ field: 'emailVerified', from: false, to: true }] : []),
  ]
  if (changes.length > 0)
    await auditAndNotify(context, tx, context.now(), user.id, {
      actor: { id: user.id, name: user.email, ...arrival.origin },
      action: decision.do === 'link' ? 'provider.link' : 'user.edit',
      target: { id: user.id, name: user.email },
      changes,
    })
  return {
    result: { user },
    events: decision.approvesUser ? await acceptOpenedInvite(context, tx, arrival, invite, user) : [],
  }
}

const acceptOpenedInvite = async (
  context: SignInContext,
  tx: Queries,
  { origin, provider }: Arrival,
  invite: StoredInvite | undefined,
  { id }: { id: string },
): Promise<readonly LiveEvent[]> =>
  invite
    ? redeemInvite(context, tx, invite, await lockUser(context.db, tx, { id }), {
        origin,
        toast: true,
        joinsWith: provider.name,
      })
    : []

const accountOf = ({ provider, identity }: Arrival) => ({
  providerId: provider.id,
  accountId: identity.accountId,
  accountUsername: identity.username,
})

async function createProviderUser(
  context: SignInContext,
  tx: Queries,
  arrival: Arrival,
  { email, status, unverifiedHolder }: Extract<AdmissionDecision, { do: 'create' }>,
  invite: StoredInvite | undefined,
): Promise<Applied> {
  const { address, verified } = email
  const id = randomUUID()
  const actor = { id, name: address, ...arrival.origin }
  const lost = unverifiedHolder ? await replaceUnverifiedEmail(context, tx, unverifiedHolder, actor) : []
  const { name } = arrival.identity
  const roles = { Admin: 0, Tools: context.config.signUpTools } as const
  const user = { id, name, email: address, emailVerified: verified, roles, status }
  await createUser(context.db, tx, user, context.now())
  await linkProvider(context, tx, arrival, id)
  await writeAudit(tx, context.now(), {
    actor,
    action: 'user.signup',
    target: { id, name: address },
    changes: changesFromNull({
      providers: accountName(accountOf(arrival)),
      emailVerified: verified,
      status,
      ...(roles.Tools > 0 && { 'roles.Tools': roles.Tools }),
    }),
  })
  const events = [...lost, ...(await acceptOpenedInvite(context, tx, arrival, invite, user))]
  if (status !== Inactive) return { result: { user: { id, email: address } }, events }
  await openRequest(tx, { userId: id, kind: 'sign-up', message: null }, context.now())
  return { result: { refused: 'waiting', waitingUserId: id }, events }
}

const linkProvider = ({ db, now }: SignInContext, tx: Queries, arrival: Arrival, userId: string) =>
  linkAccount(db, tx, userId, accountOf(arrival), now())

/** Updates the account's username, which may have changed at the provider. */
async function updateAccountUsername({ db, now }: SignInContext, tx: Queries, { provider, identity }: Arrival) {
  await tx
    .updateTable('provider_links')
    .set({ account_username: identity.username, updated_at: db.timestamp(now()) })
    .where('provider_id', '=', provider.id)
    .where('account_id', '=', identity.accountId)
    .execute()
}

/** `admins` are the ids of all active admins, whose rows are locked. */
type Claim = Pick<Arrival, 'provider' | 'origin'> & { admins: readonly string[]; user: { id: string }; roles: Roles }

/** Sets an active user's roles to the provider's. The last active admin stays one, to administer the server. */
async function claimRoles(
  context: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { admins, user: { id }, roles, provider, origin }: Claim,
): Promise<LiveEvent[]> {
  const user = await lockUser(context.db, tx, { id })
  const staysAdmin = roles.Admin < 2 && admins.length === 1 && admins[0] === id
  const to = { roles: staysAdmin ? { ...roles, Admin: user.roles.Admin } : roles }
  const changes = [...changesTo(user, to), ...(staysAdmin ? [{ field: 'lastAdmin', from: null, to: roles.Admin }] : [])]
  if (changes.length === 0) return []
  await editUser(context, tx, user, { to, actor: { id: null, name: provider.name, ...origin }, changes })
  const message = `${provider.name} no longer lists you as an admin, but you're the only active one, so you keep the role. Appoint another admin first.`
  const liveEvents = staysAdmin
    ? await context.notify(tx, [{ type: 'account', userId: id, message, toast: 'warning' }])
    : []
  return [accessChanged(id), ...liveEvents]
}
