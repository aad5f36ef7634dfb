import { accountIdOf, credentialsProvider } from '../people/contract.ts'
import { providersOf, storedPasswordOf } from '../people/sign-in-methods.ts'
import type { Queries } from '../platform/db/open.ts'
import { exists } from '../platform/db/rows/read.ts'
import { isSameMethod, type SignInMethod } from '../shared/user.ts'

export type OfferedProviders = readonly { id: string; issuer?: string }[]
type MethodsContext = { config: { baseUrl: string }; offered: OfferedProviders }

/** The host that passkeys are bound to: those of another host can't be used here, so they don't count. */
export const passkeyHost = ({ baseUrl }: { baseUrl: string }): string => new URL(baseUrl).hostname

/** Whether the provider of this account is configured; an OpenID account belongs to the issuer in its id. */
export const isOffered = (offered: OfferedProviders, { providerId, accountId }: SignInMethod): boolean =>
  offered.some(
    ({ id, issuer }) => id === providerId && (issuer === undefined || accountId.startsWith(accountIdOf(issuer, ''))),
  )

/**
 * Whether a user could sign in here without this method. Other passkeys count only if the method is a passkey itself:
 * on another host, none would work. The caller has locked the user.
 */
export async function otherMethodWorks(
  tx: Queries,
  { config, offered }: MethodsContext,
  userId: string,
  without: SignInMethod | { passkeyId: string } | 'any passkey',
): Promise<boolean> {
  const user = tx.selectFrom('users').select('cred_username as credUsername').where('id', '=', userId)
  const { credUsername } = await user.executeTakeFirstOrThrow()
  const password = credUsername !== null && (await storedPasswordOf(tx, userId)) !== undefined
  const works = (method: SignInMethod) =>
    method.providerId === credentialsProvider ? password : isOffered(offered, method)
  const isOther = (method: SignInMethod) =>
    typeof without === 'string' || 'passkeyId' in without || !isSameMethod(method, without)
  if ((await providersOf(tx, { id: userId, credUsername })).some((method) => isOther(method) && works(method)))
    return true
  if (without === 'any passkey' || !('passkeyId' in without)) return false
  const passkeys = tx
    .selectFrom('passkey')
    .where('user_id', '=', userId)
    .where('rp_id', '=', passkeyHost(config))
    .where('id', '!=', without.passkeyId)
  return exists(passkeys)
}
