import { useQuery } from '@tanstack/react-query'
import { isSameMethod, type SessionUser } from '../../../shared/user.ts'
import { Part } from '../../../ui/components/page.tsx'
import { credentialsProvider } from '../../users/contract.ts'
import type { ProviderLink } from '../profile/provider-link.ts'
import { ProviderLinks } from '../profile/provider-links.tsx'
import { providersQuery } from '../sign-in/calls.ts'
import { useLinkedWord } from './linking.ts'
import { MoreSignInMethods } from './more-sign-in-methods.tsx'
import css from './own.module.css'
import { Unlink } from './unlink.tsx'

const reasonId = 'only-sign-in-method'

/** The ways one can sign in: each may go but the last that works here, and others may come. */
export function SignInMethods({ user: { providers: links } }: { user: SessionUser }) {
  const { data: offered } = useQuery(providersQuery)
  useLinkedWord(links)
  const works = ({ providerId }: ProviderLink) =>
    providerId === credentialsProvider || (offered ?? []).some(({ id }) => id === providerId)
  const mayGo = (link: ProviderLink) => links.some((other) => !isSameMethod(other, link) && works(other))
  // Where there is nothing to choose between, nothing is offered.
  const choice = links.length > 1 || (offered ?? []).length > 0
  return (
    <Part className={css.wide} aria-label="Connected Providers">
      <h2>Connected Providers</h2>
      <ProviderLinks
        links={links}
        heads={['Provider', 'ID', 'Username', 'Profile link']}
        act={choice ? 'Unlink' : undefined}
        actOf={(link, name) => (
          <Unlink link={link} name={name} keptBy={offered && !mayGo(link) ? reasonId : undefined} />
        )}
      />
      {choice && offered && !links.every(mayGo) && (
        <p id={reasonId} className={css.note}>
          You can't unlink your only sign-in method.
        </p>
      )}
      <MoreSignInMethods links={links} />
    </Part>
  )
}
