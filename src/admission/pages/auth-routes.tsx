import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { needsNobody, needsSetUp, needsToKnow, setUpPath } from '../../ui/navigation/guard.ts'
import { fetchedScreen } from '../../ui/navigation/screen.ts'

/** The screens by which somebody gets in; each is fetched when it is opened. */
export function authRoutes(root: AnyRoute) {
  const at = (path: string, ...screen: Parameters<typeof fetchedScreen>) =>
    createRoute({ getParentRoute: () => root, path, ...fetchedScreen(...screen) })
  return [
    at(
      '/auth/signin/{-$user}',
      async () => {
        const [{ SigninPage }] = await Promise.all([import('../../sign-in/pages/signin.tsx'), readServerConfig()])
        return SigninPage
      },
      needsNobody,
    ),
    at(
      '/auth/second-step',
      async () => (await import('../../sign-in/pages/second-factor/second-step.tsx')).SecondStepPage,
      needsNobody,
    ),
    at(
      setUpPath,
      async () => (await import('../../sign-in/pages/second-factor/set-up-page.tsx')).SetUpPage,
      needsSetUp,
    ),
    at('/auth/error', async () => (await import('./access/error.tsx')).ErrorPage, needsToKnow),
    at(
      '/auth/setup',
      async () => (await import('../../sign-in/pages/new-password/setup.tsx')).SetupPage,
      readServerConfig,
    ),
    at(
      '/auth/forgot',
      async () => (await import('../../sign-in/pages/new-password/forgot.tsx')).ForgotPage,
      readServerConfig,
    ),
    at('/auth/reset', async () => (await import('../../sign-in/pages/new-password/reset.tsx')).ResetPage),
    at('/auth/invite', async () => (await import('./invites/join-page.tsx')).JoinPage, needsToKnow),
    at('/auth/proved', async () => (await import('../../sign-in/pages/proof/proved.tsx')).ProvedPage),
  ]
}
