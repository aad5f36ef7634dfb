import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { SessionUser } from '../../../shared/user.ts'
import { type ProviderLink, profileLink, providerName } from '../../../users/pages/provider-link.ts'
import { useProfiles } from '../../../web/server-config.ts'
import { Button } from '../../../web/ui/button.tsx'
import { Card } from '../../../web/ui/page.tsx'
import { providersQuery } from '../calls.ts'
import { useLeaveFor } from '../leave.ts'
import { ProviderMark } from '../provider-mark.tsx'
import { rememberLinking, useLinkedWord } from './linking.ts'
import css from './own.module.css'
import { Unlink } from './unlink.tsx'

const onlyWay = 'only-way-in'

/** The ways one can sign in: each may go but the last, and others may come. */
export function WaysIn({ user: { providers: links } }: { user: SessionUser }) {
  useLinkedWord(links)
  const only = links.length === 1
  return (
    <Card className={css.part} aria-label="Connected Providers">
      <h2>Connected Providers</h2>
      <div className={css.scroll}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">ID</th>
              <th scope="col">Username</th>
              <th scope="col">Profile link</th>
              <th scope="col">
                <span className="sr">Unlink</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {links.map((link) => (
              <Way key={`${link.providerId} ${link.accountId}`} link={link} keptBy={only ? onlyWay : undefined} />
            ))}
          </tbody>
        </table>
      </div>
      {only && (
        <p id={onlyWay} className={css.note}>
          This is your only way in, so it cannot be unlinked.
        </p>
      )}
      <MoreWays links={links} />
    </Card>
  )
}

/** `keptBy` is the id of the words that say why this one has to stay. */
function Way({ link, keptBy }: { link: ProviderLink; keptBy: string | undefined }) {
  const profiles = useProfiles()
  const profile = profileLink(profiles, link)
  const name = providerName(profiles, link.providerId)
  return (
    <tr>
      <td>
        <span className={css.lead}>
          <ProviderMark id={link.providerId} size={16} />
          {name}
        </span>
      </td>
      <td data-label="ID">
        <code title={link.accountId}>{link.accountId}</code>
      </td>
      <td data-label="Username" title={link.accountUsername ?? undefined}>
        {link.accountUsername ?? '–'}
      </td>
      <td data-label="Profile link">
        {profile ? (
          <a href={profile} target="_blank" rel="noopener noreferrer" className={css.visit}>
            Visit
            <ExternalLink size={13} aria-hidden="true" />
          </a>
        ) : (
          '–'
        )}
      </td>
      <td className={css.act}>
        <Unlink link={link} name={name} keptBy={keptBy} />
      </td>
    </tr>
  )
}

function MoreWays({ links }: { links: readonly ProviderLink[] }) {
  const { data: providers = [] } = useQuery(providersQuery)
  const { busy, leaveFor } = useLeaveFor('/api/auth/link-social', '/user')
  if (providers.length === 0) return null
  return (
    <div className={css.row}>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          disabled={busy}
          onClick={() => {
            rememberLinking(links, { id, name })
            leaveFor(id)
          }}
        >
          <ProviderMark id={id} size={15} />
          {links.some(({ providerId }) => providerId === id) ? `Link another ${name}` : `Link ${name}`}
        </Button>
      ))}
    </div>
  )
}
