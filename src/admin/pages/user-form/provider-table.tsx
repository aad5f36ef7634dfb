import { Trash2 } from 'lucide-react'
import type { ProviderLink } from '../../../people/pages/provider-link.ts'
import { isSameMethod } from '../../../shared/user.ts'
import { ProviderLinks } from '../../../sign-in/pages/provider-links.tsx'
import { IconButton } from '../../../ui/components/button.tsx'
import { Part } from '../../../ui/components/page/page.tsx'
import { Refused } from './refused.tsx'
import css from './user-form.module.css'

/** This user's sign-in methods. Deleting one takes effect when the form is saved. */
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
        <ProviderLinks
          links={links}
          heads={['Provider', 'Account ID', 'Account Username', 'Profile']}
          act="Delete"
          actOf={(link, name) => (
            <IconButton
              label={`Delete ${name} ${link.accountUsername ?? link.accountId}`}
              onClick={() => onChange(links.filter((other) => !isSameMethod(other, link)))}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          )}
        />
      )}
      <Refused reason={error} />
    </Part>
  )
}
