import type { SessionUser } from '../../shared/user.ts'
import type { Profiles } from '../../ui/data/server-config.ts'

export type ProviderLink = SessionUser['providers'][number]

export const providerName = (profiles: Profiles, id: string): string => profiles[id]?.name ?? id

/** The URL of this account's profile; undefined if it needs a username that the account doesn't have. */
export function profileLink(profiles: Profiles, link: ProviderLink): string | undefined {
  const url = profiles[link.providerId]?.url
  if (!url || (url.includes('{username}') && !link.accountUsername)) return undefined
  return url
    .replace('{id}', () => encodeURIComponent(link.accountId))
    .replace('{username}', () => encodeURIComponent(link.accountUsername ?? ''))
}
