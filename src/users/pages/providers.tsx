import { ExternalLink } from 'lucide-react'
import type { SessionUser } from '../../shared/user.ts'
import { Card } from '../../web/ui/page.tsx'
import css from './profile.module.css'

type Link = SessionUser['providers'][number]

const catalogue: Record<string, { name: string; url: string }> = {
  '001_Discord': { name: 'Discord', url: 'https://discord.com/users/{id}' },
  '002_Github': { name: 'GitHub', url: 'https://github.com/{username}' },
  '003_Credentials': { name: 'Credentials', url: '/user' },
}

const profileOf = ({ providerId, accountId, accountUsername }: Link): string | undefined =>
  catalogue[providerId]?.url
    .replace('{id}', encodeURIComponent(accountId))
    .replace('{username}', encodeURIComponent(accountUsername ?? ''))

/** The ways one can sign in. */
export function Providers({ links }: { links: readonly Link[] }) {
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
            </tr>
          </thead>
          <tbody>
            {links.map((link) => (
              <Row key={`${link.providerId} ${link.accountId}`} link={link} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Row({ link }: { link: Link }) {
  const profile = profileOf(link)
  return (
    <tr>
      <td>{catalogue[link.providerId]?.name ?? link.providerId}</td>
      <td>
        <code title={link.accountId}>{link.accountId}</code>
      </td>
      <td>{link.accountUsername ?? '–'}</td>
      <td>
        {profile && (
          <a href={profile} target="_blank" rel="noopener noreferrer" className={css.visit}>
            Visit
            <ExternalLink size={13} aria-hidden="true" />
          </a>
        )}
      </td>
    </tr>
  )
}
