import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ProviderLink, profileLink, providerName } from '../../people/pages/provider-link.ts'
import { linkClass } from '../../ui/components/button.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable } from '../../ui/components/small-table.tsx'
import { useProfiles } from '../../ui/data/server-config.ts'
import { ProviderMark } from './provider-mark.tsx'

type Props = {
  links: readonly ProviderLink[]
  heads: readonly [provider: string, id: string, username: string, profile: string]
  /** The screen-reader name of the button column; the column is left out if undefined. */
  act?: string | undefined
  actOf: (link: ProviderLink, name: string) => ReactNode
}

export function ProviderLinks({ links, heads, act, actOf }: Props) {
  const profiles = useProfiles()
  const [, idHead, usernameHead, profileHead] = heads
  return (
    <SmallTable heads={heads} {...(act && { act })}>
      {links.map((link) => {
        const { providerId, accountId, accountUsername } = link
        const name = providerName(profiles, providerId)
        return (
          <tr key={`${providerId} ${accountId}`}>
            <td>
              <span className={table.lead}>
                <ProviderMark id={providerId} size={16} />
                {name}
              </span>
            </td>
            <td data-label={idHead} title={accountId}>
              <code>{accountId}</code>
            </td>
            <td data-label={usernameHead} title={accountUsername ?? undefined}>
              {accountUsername ?? '–'}
            </td>
            <td data-label={profileHead}>
              <Profile url={profileLink(profiles, link)} />
            </td>
            {act && <td className={table.act}>{actOf(link, name)}</td>}
          </tr>
        )
      })}
    </SmallTable>
  )
}

function Profile({ url }: { url: string | undefined }) {
  if (!url) return '–'
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={`${linkClass} ${table.visit}`}>
      Visit
      <ExternalLink size={13} aria-hidden="true" />
    </a>
  )
}
