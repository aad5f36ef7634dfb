import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import {
  announcePath,
  auditPath,
  backupsPath,
  createUserPath,
  healthPath,
  invitesPath,
  listPath,
  modifyUserPath,
} from './people/pages/admin-paths.ts'
import { type AccessLevel, can, type RoleName } from './shared/user.ts'
import { tools } from './tools/index.ts'
import { readServerConfig } from './ui/data/server-config.ts'
import { useSessionUser } from './ui/data/session.ts'
import {
  type Asked,
  needsNobody,
  needsRole,
  needsSession,
  needsSetUp,
  needsToKnow,
  setUpPath,
} from './ui/navigation/guard.ts'
import { fetchedScreen } from './ui/navigation/screen.ts'

type Page = {
  path: string
  /** What the search calls it. The search leaves out pages without a title. */
  title?: string
  /** Who may open it; `guard` is for pages that ask for something other than a role. */
  role?: readonly [RoleName, AccessLevel]
  guard?: (asked: Asked) => Promise<void>
  /** Fetches the screen, and the data without which it would move about. */
  load: () => Promise<ComponentType>
  /** Loads that data anew each time the page is opened. */
  loader?: () => Promise<unknown>
}

const withEntries = tools.flatMap((tool) => (tool.kind === 'entries' ? [tool] : []))
const loadProfile = async () => (await import('./profile/pages/load.ts')).loadProfile()
const loadChannels = async () => (await import('./notices/pages/channels/calls.ts')).loadChannels()

/** Every page but Home and those of tools, in the order in which the search lists them. */
export const pages: readonly Page[] = [
  {
    path: '/user',
    title: 'User Profile',
    guard: needsSession,
    load: async () => {
      const [{ ProfilePage }, { YourData }] = await Promise.all([
        import('./profile/pages/profile.tsx'),
        import('./own-data/pages/your-data.tsx'),
        loadProfile(),
      ])
      return () => (
        <ProfilePage>
          <YourData />
        </ProfilePage>
      )
    },
    loader: loadProfile,
  },
  {
    path: '/user/channels',
    title: 'Channels',
    guard: needsSession,
    load: async () => {
      const [{ ChannelsPage }] = await Promise.all([import('./notices/pages/channels/page.tsx'), loadChannels()])
      return () => <ChannelsPage tools={can(useSessionUser(), 'Tools', 1) ? withEntries : []} />
    },
    loader: loadChannels,
  },
  {
    path: '/user/status',
    title: 'Status Page',
    role: ['Tools', 1],
    load: async () => {
      const [{ StatusPageEditor }, { ownTabsFor }] = await Promise.all([
        import('./status/pages/page.tsx'),
        import('./people/pages/own-tabs.ts'),
      ])
      return () => <StatusPageEditor tools={withEntries} tabs={ownTabsFor(useSessionUser())} />
    },
  },
  {
    path: '/user/confirm-email',
    load: async () => (await import('./notices/pages/channels/confirm-email.tsx')).ConfirmEmailPage,
  },
  {
    path: '/user/verify-email',
    guard: needsSession,
    load: async () => (await import('./profile/pages/details/verify-email.tsx')).VerifyEmailPage,
  },
  {
    path: listPath,
    title: 'List Users',
    role: ['Admin', 1],
    load: async () => {
      const [{ UserListPage }] = await Promise.all([
        import('./admin/pages/list.tsx'),
        import('./admin/pages/calls.ts').then(({ loadUsers }) => loadUsers()),
      ])
      return UserListPage
    },
  },
  {
    path: modifyUserPath,
    title: 'Edit User',
    role: ['Admin', 2],
    load: async () => (await import('./admin/pages/modify.tsx')).ModifyUserPage,
  },
  {
    path: createUserPath,
    title: 'Create User',
    role: ['Admin', 2],
    load: async () => (await import('./admin/pages/create.tsx')).CreateUserPage,
  },
  {
    path: invitesPath,
    title: 'Invitations',
    role: ['Admin', 2],
    load: async () => (await import('./admission/pages/invites/page.tsx')).InvitesPage,
  },
  {
    path: auditPath,
    title: 'Audit Log',
    role: ['Admin', 2],
    load: async () => (await import('./people/pages/audit.tsx')).AuditPage,
  },
  {
    path: announcePath,
    title: 'Announce',
    role: ['Admin', 2],
    load: async () => (await import('./notices/pages/announce.tsx')).AnnouncePage,
  },
  {
    path: backupsPath,
    title: 'Backups',
    role: ['Admin', 2],
    load: async () => (await import('./backups/page.tsx')).BackupsPage,
  },
  {
    path: healthPath,
    title: 'Health',
    role: ['Admin', 2],
    load: async () => (await import('./self-check/pages/page.tsx')).HealthPage,
  },
  {
    path: '/auth/signin/{-$user}',
    guard: needsNobody,
    load: async () => (await Promise.all([import('./sign-in/pages/signin.tsx'), readServerConfig()]))[0].SigninPage,
  },
  {
    path: '/auth/second-step',
    guard: needsNobody,
    load: async () => (await import('./sign-in/pages/second-factor/second-step.tsx')).SecondStepPage,
  },
  {
    path: setUpPath,
    guard: needsSetUp,
    load: async () => (await import('./sign-in/pages/second-factor/set-up-page.tsx')).SetUpPage,
  },
  {
    path: '/auth/error',
    guard: needsToKnow,
    load: async () => {
      const [{ ErrorPage }, { SignIn }] = await Promise.all([
        import('./admission/pages/access/error.tsx'),
        import('./sign-in/pages/signin.tsx'),
        readServerConfig(),
      ])
      return () => <ErrorPage SignIn={SignIn} />
    },
  },
  {
    path: '/auth/setup',
    guard: readServerConfig,
    load: async () => (await import('./sign-in/pages/new-password/setup.tsx')).SetupPage,
  },
  {
    path: '/auth/forgot',
    guard: readServerConfig,
    load: async () => (await import('./sign-in/pages/new-password/forgot.tsx')).ForgotPage,
  },
  { path: '/auth/reset', load: async () => (await import('./sign-in/pages/new-password/reset.tsx')).ResetPage },
  {
    path: '/auth/invite',
    guard: needsToKnow,
    load: async () => (await import('./admission/pages/invites/join-page.tsx')).JoinPage,
  },
  { path: '/auth/proved', load: async () => (await import('./sign-in/pages/proof/proved.tsx')).ProvedPage },
]

export const routesTo = (root: AnyRoute): AnyRoute[] =>
  pages.map(({ path, role, guard, load, loader }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      ...fetchedScreen(load, role ? needsRole(...role) : guard),
      ...(loader && { loader }),
    }),
  )
