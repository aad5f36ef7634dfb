import type { ReactNode } from 'react'
import { can } from '../../shared/user.ts'
import { PageHead } from '../../ui/components/page.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import {
  announcePath,
  auditPath,
  backupsPath,
  createUserPath,
  healthPath,
  invitesPath,
  listPath,
  modifyUserPath,
} from './admin-paths.ts'

const tabs = [
  { to: listPath, label: 'List Users' },
  { to: modifyUserPath, label: 'Edit User' },
  { to: createUserPath, label: 'Create User' },
  { to: invitesPath, label: 'Invitations' },
  { to: auditPath, label: 'Audit Log' },
  { to: announcePath, label: 'Announce' },
  { to: backupsPath, label: 'Backups' },
  { to: healthPath, label: 'Health' },
]

/** The head of an admin screen, with tabs to the others for users who may see them. */
export function AdminHead({ title, children }: { title: string; children: ReactNode }) {
  const mayEdit = can(useSessionUser(), 'Admin', 2)
  return (
    <PageHead
      title={title}
      above={{ to: listPath, label: 'Admin' }}
      {...(mayEdit && { tabs, tabsLabel: 'Admin area' })}
    >
      {children}
    </PageHead>
  )
}
