import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { type PageName, pageEntries } from './shared/pages.ts'
import { can } from './shared/user.ts'
import { tools } from './tools/index.ts'
import { readServerConfig } from './ui/data/server-config.ts'
import { useSessionUser } from './ui/data/session.ts'
import {
  loadSession,
  type RouteRequest,
  requireRole,
  requireSession,
  requireSetUp,
  requireSignedOut,
} from './ui/navigation/guard.ts'
import { lazyScreen } from './ui/navigation/screen.ts'

type Screen = {
  /** Decides who may open it, if that takes more than a role. */
  guard?: (asked: RouteRequest) => Promise<void>
  load: () => Promise<ComponentType>
  /** Loads data that would shift the layout if it arrived later, each time the page is opened. */
  loader?: () => Promise<unknown>
}

const withEntries = tools.flatMap((tool) => (tool.kind === 'entries' ? [tool] : []))
const loadOwn = async (what: 'loadProfile' | 'loadSecurity' | 'loadKeys') =>
  (await import('./profile/pages/load.ts'))[what]()

const screens: Record<PageName, Screen> = {
  profile: {
    guard: requireSession,
    load: async () => (await import('./profile/pages/profile.tsx')).ProfilePage,
    loader: () => loadOwn('loadProfile'),
  },
  security: {
    guard: requireSession,
    load: async () => (await import('./profile/pages/security.tsx')).SecurityPage,
    loader: () => loadOwn('loadSecurity'),
  },
  keys: {
    guard: requireSession,
    load: async () => (await import('./profile/pages/keys.tsx')).KeysPage,
    loader: () => loadOwn('loadKeys'),
  },
  data: {
    guard: requireSession,
    load: async () => {
      const { YourDataPage } = await import('./own-data/pages/your-data.tsx')
      return () => <YourDataPage tools={withEntries} />
    },
  },
  channels: {
    guard: requireSession,
    load: async () => {
      const { ChannelsPage } = await import('./notices/pages/channels/page.tsx')
      return () => <ChannelsPage tools={can(useSessionUser(), 'Tools', 1) ? withEntries : []} />
    },
    loader: async () => (await import('./notices/pages/channels/calls.ts')).loadChannels(),
  },
  status: {
    load: async () => {
      const { StatusPageEditor } = await import('./status/pages/page.tsx')
      return () => <StatusPageEditor tools={withEntries} />
    },
  },
  confirmEmail: {
    load: async () => (await import('./notices/pages/channels/confirm-email.tsx')).ConfirmEmailPage,
  },
  verifyEmail: {
    guard: requireSession,
    load: async () => (await import('./profile/pages/details/verify-email.tsx')).VerifyEmailPage,
  },
  users: {
    load: async () => {
      const [{ UserListPage }] = await Promise.all([
        import('./admin/pages/list.tsx'),
        import('./admin/pages/calls.ts').then(({ loadUsers }) => loadUsers()),
      ])
      return UserListPage
    },
  },
  editUser: {
    load: async () => (await import('./admin/pages/modify.tsx')).ModifyUserPage,
  },
  createUser: {
    load: async () => (await import('./admin/pages/create.tsx')).CreateUserPage,
  },
  invites: {
    load: async () => (await import('./admission/pages/invites/page.tsx')).InvitesPage,
  },
  audit: {
    load: async () => (await import('./people/pages/audit.tsx')).AuditPage,
  },
  announcements: {
    load: async () => (await import('./notices/pages/announce.tsx')).AnnouncePage,
  },
  backups: {
    load: async () => (await import('./backups/page.tsx')).BackupsPage,
  },
  health: {
    load: async () => (await import('./self-check/pages/page.tsx')).HealthPage,
  },
  signIn: {
    guard: requireSignedOut,
    load: async () => (await Promise.all([import('./sign-in/pages/signin.tsx'), readServerConfig()]))[0].SigninPage,
  },
  secondStep: {
    guard: requireSignedOut,
    load: async () => (await import('./sign-in/pages/second-factor/second-step.tsx')).SecondStepPage,
  },
  secondFactor: {
    guard: requireSetUp,
    load: async () => (await import('./sign-in/pages/second-factor/set-up-page.tsx')).SetUpPage,
  },
  error: {
    guard: loadSession,
    load: async () => {
      const [{ ErrorPage }, { SignIn }] = await Promise.all([
        import('./admission/pages/access/error.tsx'),
        import('./sign-in/pages/signin.tsx'),
        readServerConfig(),
      ])
      return () => <ErrorPage SignIn={SignIn} />
    },
  },
  setup: {
    guard: readServerConfig,
    load: async () => (await import('./sign-in/pages/new-password/setup.tsx')).SetupPage,
  },
  forgot: {
    guard: readServerConfig,
    load: async () => (await import('./sign-in/pages/new-password/forgot.tsx')).ForgotPage,
  },
  reset: { load: async () => (await import('./sign-in/pages/new-password/reset.tsx')).ResetPage },
  invite: {
    guard: loadSession,
    load: async () => (await import('./admission/pages/invites/join-page.tsx')).JoinPage,
  },
  proved: { load: async () => (await import('./sign-in/pages/proof/proved.tsx')).ProvedPage },
}

export const routesTo = (root: AnyRoute): AnyRoute[] =>
  pageEntries.map(([name, { path, role }]) => {
    const { guard, load, loader } = screens[name]
    // In parallel, because the router calls a loader only once the screen has been loaded.
    const loadBoth = async () => (await Promise.all([load(), loader?.()]))[0]
    return createRoute({
      getParentRoute: () => root,
      path,
      ...lazyScreen(loadBoth, role ? requireRole(...role) : guard),
      ...(loader && { loader }),
    })
  })
