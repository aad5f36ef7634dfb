import type { ReactNode } from 'react'
import { pages, pagesIn } from '../../shared/pages.ts'
import { can } from '../../shared/user.ts'
import { PageHead } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { useTitle } from '../../ui/navigation/title.ts'

/** The header and title of an admin screen. Lists pass no `children`, so that their header takes one line. */
export function AdminHead({ title, acts, children }: { title: string; acts?: ReactNode; children?: ReactNode }) {
  useTitle(title)
  const user = useSessionUser()
  return (
    <PageHead
      title={title}
      {...(children ? { above: { to: pages.users.path, label: 'Admin' } } : { acts })}
      {...(can(user, 'Admin', 2) && { tabs: pagesIn('admin', user), tabsLabel: 'Admin area' })}
    >
      {children}
    </PageHead>
  )
}
