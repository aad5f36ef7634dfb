import { useQuery } from '@tanstack/react-query'
import { credentialsProvider } from '../../people/contract.ts'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import { isSameMethod, type SessionUser } from '../../shared/user.ts'
import { providersQuery, useLeaveFor } from '../../sign-in/pages/calls.ts'
import { ProviderLinks } from '../../sign-in/pages/provider-links.tsx'
import { ProviderMark } from '../../sign-in/pages/provider-mark.tsx'
import { Button } from '../../ui/components/button.tsx'
import { Part } from '../../ui/components/page/page.tsx'
import { rememberLinking, useLinkedToast } from './linking.ts'
import css from './own.module.css'
import { Unlink } from './unlink.tsx'

const reasonId = 'only-sign-in-method'

/** The user's sign-in methods, which can be added, and removed except for the last that works here. */
export function SignInMethods({ user: { providers: links } }: { user: SessionUser }) {
  const { data: offered } = useQuery(providersQuery)
  useLinkedToast(links)
  const works = ({ providerId }: ProviderLink) =>
    providerId === credentialsProvider || (offered ?? []).some(({ id }) => id === providerId)
  const canUnlink = (link: ProviderLink) => links.some((other) => !isSameMethod(other, link) && works(other))
  // Without an alternative, there is nothing to unlink.
  const hasChoice = links.length > 1 || (offered ?? []).length > 0
  return (
    <Part className={css.wide} aria-label="Connected Providers">
      <h2>Connected Providers</h2>
      <ProviderLinks
        links={links}
        heads={['Provider', 'ID', 'Username', 'Profile link']}
        act={hasChoice ? 'Unlink' : undefined}
        actOf={(link, name) => (
          <Unlink link={link} name={name} keptBy={offered && !canUnlink(link) ? reasonId : undefined} />
        )}
      />
      {hasChoice && offered && !links.every(canUnlink) && (
        <p id={reasonId} className={css.note}>
          You can't unlink your only sign-in method.
        </p>
      )}
      <MoreSignInMethods links={links} />
    </Part>
  )
}

/** A button for each configured provider, which links an account there. */
function MoreSignInMethods({ links }: { links: readonly ProviderLink[] }) {
  const { data: providers = [] } = useQuery(providersQuery)
  const leave = useLeaveFor('/api/auth/link-social', '/user')
  if (providers.length === 0) return null
  return (
    <div className={css.row}>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          disabled={leave.isPending}
          onClick={() => {
            rememberLinking(links, { id, name })
            leave.mutate(id)
          }}
        >
          <ProviderMark id={id} size={15} />
          {links.some(({ providerId }) => providerId === id) ? `Link another ${name} account` : `Link ${name}`}
        </Button>
      ))}
    </div>
  )
}
