import type { Change } from '../people/audit/contract.ts'
import { credentialsProvider, hasPassword, isPlaceholderEmail, reservedEmail } from '../people/contract.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import { Active, isSameMethod } from '../shared/user.ts'
import { isOffered, type OfferedProviders } from '../sign-in/working-methods.ts'
import type { PatchUserBody, User } from './contract.ts'

/** The single-user patch body plus the fields that only the bulk call accepts. */
export type UserPatch = PatchUserBody & { [Name in 'addTags' | 'removeTags']?: PatchUserBody['tags'] }

/** Returns the user with this patch applied. Throws a 400 that names a change that isn't allowed. */
export function applyPatch(before: User, body: UserPatch): User {
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
export function requireRemainingAdmin(
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

export const removedProviders = (before: User, after: User): User['providers'] =>
  before.providers.filter((one) => !after.providers.some((other) => isSameMethod(one, other)))

/** Whether a change requires recent re-authentication: a raised role, or a new email, username or provider list. */
export const needsProof = ({ field, from, to }: Change) =>
  field.startsWith('roles.') ? Number(to) > Number(from) : ['email', 'credUsername', 'providers'].includes(field)
