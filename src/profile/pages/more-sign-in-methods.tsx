import { useQuery } from '@tanstack/react-query'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import { providersQuery } from '../../sign-in/pages/calls.ts'
import { useLeaveFor } from '../../sign-in/pages/leave.ts'
import { ProviderMark } from '../../sign-in/pages/provider-mark.tsx'
import { Button } from '../../ui/components/button.tsx'
import { rememberLinking } from './linking.ts'
import css from './own.module.css'

/** A button for each configured provider, which links an account there. */
export function MoreSignInMethods({ links }: { links: readonly ProviderLink[] }) {
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
