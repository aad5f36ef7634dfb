import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import {
  announcePath,
  auditPath,
  createUserPath,
  invitesPath,
  listPath,
  modifyUserPath,
} from '../../people/pages/admin-paths.ts'
import { needsRole } from '../../ui/navigation/guard.ts'
import { fetchedScreen } from '../../ui/navigation/screen.ts'

/** The admin screens; each is fetched when it is opened. */
export function adminRoutes(root: AnyRoute) {
  const at = (path: string, level: 1 | 2, screen: () => Promise<ComponentType>) =>
    createRoute({
      getParentRoute: () => root,
      path,
      ...fetchedScreen(screen, needsRole('Admin', level)),
    })
  return [
    at(listPath, 1, async () => {
      const [{ UserListPage }] = await Promise.all([
        import('./list.tsx'),
        import('./calls.ts').then(({ loadUsers }) => loadUsers()),
      ])
      return UserListPage
    }),
    at(modifyUserPath, 2, async () => (await import('./modify.tsx')).ModifyUserPage),
    at(createUserPath, 2, async () => (await import('./create.tsx')).CreateUserPage),
    at(invitesPath, 2, async () => (await import('../../admission/pages/invites/page.tsx')).InvitesPage),
    at(auditPath, 2, async () => (await import('../../people/pages/audit.tsx')).AuditPage),
    at(announcePath, 2, async () => (await import('../../notices/pages/announce.tsx')).AnnouncePage),
  ]
}
