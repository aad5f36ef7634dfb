import { ExternalLink, Trash2 } from 'lucide-react'
import { isSameWay } from '../../../../shared/user.ts'
import { IconButton } from '../../../../ui/components/button.tsx'
import { Part } from '../../../../ui/components/page.tsx'
import table from '../../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../../ui/components/small-table.tsx'
import { useProfiles } from '../../../../ui/data/server-config.ts'
import { type ProviderLink, profileLink, providerName } from '../../profile/provider-link.ts'
import { Refused } from '../refused.tsx'
import css from './user-form.module.css'

/** The ways this user signs in. One that is deleted here is gone once the form is saved. */
export function ProviderTable(props: {
  links: readonly ProviderLink[]
  error: string | undefined
  onChange: (links: ProviderLink[]) => void
}) {
  const { links, error, onChange } = props
  return (
    <Part className={css.wide} aria-label="Providers">
      <h2>Providers</h2>
      {links.length === 0 && <p className={css.none}>No linked providers.</p>}
      {links.length > 0 && (
        <SmallTable heads={['Provider', 'Account ID', 'Account Username', 'Profile']} act="Delete">
          {links.map((link) => (
            <Row
              key={`${link.providerId} ${link.accountId}`}
              link={link}
              onDelete={() => onChange(links.filter((other) => !isSameWay(other, link)))}
            />
          ))}
        </SmallTable>
      )}
      <Refused reason={error} />
    </Part>
  )
}

function Row({ link, onDelete }: { link: ProviderLink; onDelete: () => void }) {
  const profiles = useProfiles()
  const name = providerName(profiles, link.providerId)
  const profile = profileLink(profiles, link)
  return (
    <tr>
      <td>{name}</td>
      <td data-label="Account ID" title={link.accountId}>
        <code>{link.accountId}</code>
      </td>
      <td data-label="Account Username" title={link.accountUsername ?? undefined}>
        {link.accountUsername ?? '–'}
      </td>
      <td data-label="Profile">
        {profile ? (
          <a href={profile} target="_blank" rel="noopener noreferrer" className={table.visit}>
            Visit
            <ExternalLink size={13} aria-hidden="true" />
          </a>
        ) : (
          '–'
        )}
      </td>
      <td className={table.act}>
        <IconButton label={`Delete ${name} ${link.accountUsername ?? link.accountId}`} onClick={onDelete}>
          <Trash2 size={15} aria-hidden="true" />
        </IconButton>
      </td>
    </tr>
  )
}
