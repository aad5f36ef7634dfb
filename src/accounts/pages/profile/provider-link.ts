import type { SessionUser } from '../../../shared/user.ts'
import type { Profiles } from '../../../ui/data/server-config.ts'

export type ProviderLink = SessionUser['providers'][number]

/** The provider's name for people. */
export const providerName = (profiles: Profiles, id: string): string => profiles[id]?.name ?? id

/** Where this account shows itself; undefined when its provider's pages go by a name it does not have. */
export function profileLink(profiles: Profiles, link: ProviderLink): string | undefined {
  const url = profiles[link.providerId]?.url
  if (!url || (url.includes('{username}') && !link.accountUsername)) return undefined
  return url
    .replace('{id}', () => encodeURIComponent(link.accountId))
    .replace('{username}', () => encodeURIComponent(link.accountUsername ?? ''))
}
