import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { isSameWay, type SessionUser } from '../../../shared/user.ts'
import { Part } from '../../../ui/components/page.tsx'
import table from '../../../ui/components/small-table.module.css'
import { SmallTable } from '../../../ui/components/small-table.tsx'
import { useProfiles } from '../../../ui/data/server-config.ts'
import { credentialsProvider } from '../../users/contract.ts'
import { type ProviderLink, profileLink, providerName } from '../profile/provider-link.ts'
import { providersQuery } from '../sign-in/calls.ts'
import { ProviderMark } from '../sign-in/provider-mark.tsx'
import { useLinkedWord } from './linking.ts'
import { MoreSignInMethods } from './more-sign-in-methods.tsx'
import css from './own.module.css'
import { Unlink } from './unlink.tsx'

const reasonId = 'last-way-in'

/** The ways one can sign in: each may go but the last that works here, and others may come. */
export function SignInMethods({ user: { providers: links } }: { user: SessionUser }) {
  const { data: offered } = useQuery(providersQuery)
  useLinkedWord(links)
  const works = ({ providerId }: ProviderLink) =>
    providerId === credentialsProvider || (offered ?? []).some(({ id }) => id === providerId)
  const mayGo = (link: ProviderLink) => links.some((other) => !isSameWay(other, link) && works(other))
  // Where there is nothing to choose between, nothing is offered.
  const choice = links.length > 1 || (offered ?? []).length > 0
  return (
    <Part className={css.wide} aria-label="Connected Providers">
      <h2>Connected Providers</h2>
      <SmallTable heads={['Provider', 'ID', 'Username', 'Profile link']} {...(choice && { act: 'Unlink' })}>
        {links.map((link) => (
          <Way key={`${link.providerId} ${link.accountId}`} link={link}>
            {choice && <Unlink link={link} keptBy={offered && !mayGo(link) ? reasonId : undefined} />}
          </Way>
        ))}
      </SmallTable>
      {choice && offered && !links.every(mayGo) && (
        <p id={reasonId} className={css.note}>
          You can't unlink your only sign-in method.
        </p>
      )}
      <MoreSignInMethods links={links} />
    </Part>
  )
}

function Way({ link, children }: { link: ProviderLink; children: ReactNode }) {
  const profiles = useProfiles()
  const profile = profileLink(profiles, link)
  return (
    <tr>
      <td>
        <span className={table.lead}>
          <ProviderMark id={link.providerId} size={16} />
          {providerName(profiles, link.providerId)}
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
          <a href={profile} target="_blank" rel="noopener noreferrer" className={table.visit}>
            Visit
            <ExternalLink size={13} aria-hidden="true" />
          </a>
        ) : (
          '–'
        )}
      </td>
      {children && <td className={table.act}>{children}</td>}
    </tr>
  )
}
