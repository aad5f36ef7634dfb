import { editUser } from '../admission/access/edit-user.ts'
import { signInChanged } from '../notices/account-changes.ts'
import { queueEmailChangeMail } from '../notices/mail.ts'
import type { Change } from '../people/audit/contract.ts'
import { changesBetween, creation, fieldsOf, writeAudit } from '../people/audit/log.ts'
import { credentialsProvider, hasPassword, isPlaceholderEmail, reservedEmail } from '../people/contract.ts'
import { removeSignInMethod } from '../people/sign-in-methods.ts'
import { createUser, lockAdmins, lockUser, type UserRef, type UserRow } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import { lockEntriesOf } from '../platform/db/locks.ts'
import type { Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import type { Actor } from '../platform/http/access/actor.ts'
import { accessChanged } from '../platform/live/events.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import type { Instant } from '../shared/time.ts'
import { Active, isSameMethod } from '../shared/user.ts'
import type { SignInConfig } from '../sign-in/config.ts'
import { changePassword } from '../sign-in/passwords/change-password.ts'
import { hashNewPassword } from '../sign-in/passwords/password-rules.ts'
import { endSessions } from '../sign-in/sessions.ts'
import { isOffered, type OfferedProviders } from '../sign-in/working-methods.ts'
import type { CreateUserBody, PatchUserBody, User } from './contract.ts'
import { entryIdsOf, loadUserDetail, removeUser } from './store.ts'

export type EditContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'jobs' | 'events' | 'notify'> & {
  offered: OfferedProviders
  /** Deletes the rows that tools store for these entries, which may be many. */
  beforeRemove: (entryIds: readonly string[], tx: Queries) => Promise<void>
}

/** Creates a user with a verified email and returns the id. */
export async function addUser({ db, now }: EditContext, actor: Actor, body: CreateUserBody): Promise<string> {
  const { name, email, tags, status } = body
  const roles = { Admin: body.roles?.Admin ?? 0, Tools: body.roles?.Tools ?? 0 }
  const credentials = await newCredentials(body, now())
  const user = { name, email, emailVerified: true, roles, tags, status, credentials }
  return transact(db, async (tx) => {
    const id = await createUser(db, tx, user, now(), 'credUsername')
    await writeAudit(tx, now(), creation(actor, id, user))
    return id
  })
}

async function newCredentials({ name, email, credUsername: username, password }: CreateUserBody, givenAt: Instant) {
  if (!username && password !== undefined) throw invalid('credUsername', 'A password needs a username.')
  if (!username) return undefined
  if (password === undefined) return { username }
  return { username, hash: await hashNewPassword(password, { name, email, username }), givenAt }
}

type Outcome = 'changed' | 'same' | 'outdated'
type Check = (changes: readonly Change[]) => void

/** Writes nothing without a change, or if the user was edited since `ifUpdatedAt`. A new status ends the sessions. */
export async function changeUser(context: EditContext, actor: Actor, patch: UserPatch, check: Check): Promise<Outcome> {
  const { db, events, offered } = context
  const { id, ifUpdatedAt } = patch
  const outcome = await transact(db, async (tx): Promise<Outcome> => {
    const admins = await lockAdmins(db, tx, (account) => isOffered(offered, account))
    await lockUser(db, tx, { id })
    const before = await loadUserDetail(tx, { id })
    if (ifUpdatedAt !== undefined && before.updatedAt > ifUpdatedAt) return 'outdated'
    const after = applyPatch(before, patch)
    const changes = changesBetween(fieldsOf(before), fieldsOf(after))
    if (changes.length === 0) return 'same'
    check(changes)
    requireRemainingAdmin({ admins, offered }, before, after)
    await editUser(context, tx, before, { to: after, actor, changes })
    const removed = before.providers.filter((one) => !after.providers.includes(one))
    for (const provider of removed) await removeSignInMethod(tx, id, provider)
    if (after.status !== before.status) await endSessions(tx, id, { keep: undefined })
    // An unverified address may belong to someone else.
    if (after.email !== before.email && before.emailVerified)
      await queueEmailChangeMail(context, tx, before.email, { actor, userId: id })
    return 'changed'
  })
  if (outcome === 'changed') {
    context.jobs.wake()
    events.publish(signInChanged(id))
  }
  return outcome
}

/** Sets a user's password and ends their sessions, except the caller's own. */
export async function setPasswordOf(
  context: EditContext,
  by: { actor: Actor; sessionId: string | undefined },
  { id, password }: { id: string; password: string },
): Promise<void> {
  const { db, now, events } = context
  const hash = await hashNewPassword(password, requireUsername(await loadUserDetail(db.q, { id })))
  await transact(db, async (tx) => {
    const { email } = requireUsername(await lockUser(db, tx, { id }))
    await changePassword(context, tx, { actor: by.actor, target: { id, name: email }, hash, keep: by.sessionId }, now())
  })
  events.publish(signInChanged(id))
}

/** Ends a user's sessions, except the caller's own, and returns how many. Throws a 404 if there is no such user. */
export async function endSessionsOf(
  { db, now, events }: EditContext,
  by: { actor: Actor; sessionId: string | undefined },
  id: string,
): Promise<number> {
  const endedCount = await transact(db, async (tx) => {
    const { email } = await lockUser(db, tx, { id })
    const count = await endSessions(tx, id, { keep: by.sessionId })
    const changes = [{ field: 'sessions', from: count, to: 0 }]
    if (count > 0)
      await writeAudit(tx, now(), { actor: by.actor, action: 'user.sessions', target: { id, name: email }, changes })
    return count
  })
  events.publish([accessChanged(id)])
  return endedCount
}

function requireUsername({ name, email, credUsername: username }: UserRow) {
  if (username === null) throw new HttpError(409, 'This user has no username to sign in with. Save one first.')
  return { name, email, username }
}

/** Deletes a user and returns the id. Throws a 409 if it isn't `readId`, as after their email passed to another user. */
export async function deleteUser(context: EditContext, actor: Actor, which: UserRef, readId?: string): Promise<string> {
  const { db, now, events, offered, beforeRemove } = context
  const id = await transact(db, async (tx) => {
    const admins = await lockAdmins(db, tx, (account) => isOffered(offered, account))
    const { id } = await lockUser(db, tx, which)
    if (readId !== undefined && id !== readId)
      throw new HttpError(409, 'This email belongs to another user now. Reload the page.')
    const before = await loadUserDetail(tx, { id })
    requireRemainingAdmin({ admins, offered }, before, undefined)
    await lockEntriesOf(db, tx, id)
    await beforeRemove(await entryIdsOf(tx, id), tx)
    await removeUser(tx, id)
    const changes = changesBetween({ ...fieldsOf(before), entries: before.entries }, {})
    await writeAudit(tx, now(), { actor, action: 'user.delete', target: { id, name: before.email }, changes })
    return id
  })
  events.publish([accessChanged(id)])
  return id
}

/** The single-user patch body plus the fields that only the bulk call accepts. */
type UserPatch = PatchUserBody & { [Name in 'addTags' | 'removeTags']?: PatchUserBody['tags'] }

/** Returns the user with this patch applied. Throws a 400 that names a change that isn't allowed. */
function applyPatch(before: User, body: UserPatch): User {
  const providers = patchProviders(before, body.providers)
  const email = body.email ?? before.email
  if (email !== before.email && isPlaceholderEmail(email)) throw invalid('email', reservedEmail)
  return {
    ...before,
    name: body.name ?? before.name,
    email,
    // An admin vouches for the address they enter.
    emailVerified: before.emailVerified || email !== before.email,
    status: body.status ?? before.status,
    tags: patchTags(before, body),
    roles: { Admin: body.roles?.Admin ?? before.roles.Admin, Tools: body.roles?.Tools ?? before.roles.Tools },
    providers,
    credUsername: patchUsername(before, body.credUsername, hasPassword({ providers })),
  }
}

function patchTags(before: User, { tags, addTags = [], removeTags = [] }: UserPatch): string[] {
  const removed: readonly string[] = removeTags
  return [...new Set([...(tags ?? before.tags), ...addTags])].filter((tag) => !removed.includes(tag))
}

function patchProviders({ providers }: User, remaining: PatchUserBody['providers']): User['providers'] {
  if (remaining === undefined) return providers
  if (!remaining.every((one) => providers.some((other) => isSameMethod(one, other))))
    throw invalid('providers', 'Providers can only be removed, not added.')
  return providers.filter((one) => remaining.some((other) => isSameMethod(one, other)))
}

/** A password needs a username, and removing the password removes its username too. */
function patchUsername(before: User, username: string | null | undefined, keepsPassword: boolean): string | null {
  if (keepsPassword && username === null)
    throw invalid('credUsername', 'The password needs a username. To remove both, remove the Credentials provider.')
  if (keepsPassword || !hasPassword(before)) return username === undefined ? before.credUsername : username
  if (username && username !== before.credUsername)
    throw invalid('credUsername', 'Removing the password also removes the username. Set a new one afterwards.')
  return null
}

/** Throws a 409 if no admin could sign in after this change. `admins` are all active ones who can sign in. */
function requireRemainingAdmin(
  { admins, offered }: { admins: readonly string[]; offered: OfferedProviders },
  before: User,
  after: User | undefined,
): void {
  const isAdmin = before.status === Active && before.roles.Admin === 2
  if (!isAdmin || admins.some((id) => id !== before.id)) return
  if (!after) throw new HttpError(409, "You can't delete the last admin. Appoint another admin first.")
  if (after.status !== Active || after.roles.Admin !== 2)
    throw new HttpError(409, 'This is the last active admin. Appoint another admin first.')
  const hasSignInMethod = ({ providers }: User) =>
    providers.some((method) => method.providerId === credentialsProvider || isOffered(offered, method))
  if (hasSignInMethod(before) && !hasSignInMethod(after))
    throw new HttpError(409, "This is the last admin's only sign-in method. Appoint another admin first.")
}

/** Whether a change requires recent re-authentication: a raised role, or a new email, username or provider list. */
export const needsProof = ({ field, from, to }: Change) =>
  field.startsWith('roles.') ? Number(to) > Number(from) : ['email', 'credUsername', 'providers'].includes(field)
