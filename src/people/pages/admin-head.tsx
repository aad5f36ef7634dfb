import type { ReactNode } from 'react'
import { pages, pagesIn } from '../../shared/pages.ts'
import { can } from '../../shared/user.ts'
import { PageHead } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'

/** The head of an admin screen, with tabs to the others for users who may see them. */
export function AdminHead({ title, children }: { title: string; children: ReactNode }) {
  const user = useSessionUser()
  return (
    <PageHead
      title={title}
      above={{ to: pages.users.path, label: 'Admin' }}
      {...(can(user, 'Admin', 2) && { tabs: pagesIn('admin', user), tabsLabel: 'Admin area' })}
    >
      {children}
    </PageHead>
  )
}
