import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, Suspense, startTransition } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { Dashboard, fetchDashboard, type MountedTool, mountTool, ToolState } from './mount-tool.tsx'
import { routesTo } from './pages.tsx'
import { wereStepsDone } from './self-check/pages/steps-done.ts'
import { withTimeout } from './shared/async.ts'
import { pagesIn } from './shared/pages.ts'
import { type Milliseconds, seconds } from './shared/time.ts'
import { can } from './shared/user.ts'
import { tools } from './tools/index.ts'
import { Loading } from './ui/components/logo.tsx'
import { queryClient } from './ui/data/query.ts'
import { sessionQuery, useScreenUser, wasSignedIn, watchSession } from './ui/data/session.ts'
import { parseSearch, stringifySearch } from './ui/navigation/address.ts'
import { lazyPart } from './ui/navigation/lazy.ts'
import { lazyScreen } from './ui/navigation/screen.ts'
import { FailPage, LoadingPage, NotFoundPage, ScreenError } from './ui/pages/fallback.tsx'
import { HomePage } from './ui/pages/home.tsx'
import { type MenusFor, Shell } from './ui/shell/shell.tsx'
import { watchTheme } from './ui/theme.ts'
import { patchDomForTranslation } from './ui/translated-text.ts'
import './ui/base.css'

/** After this time, a screen shows that it is loading. */
const longestBlank: Milliseconds = 200

const menusFor =
  (tools: readonly MountedTool[]): MenusFor =>
  (user) => [
    {
      label: 'Tools',
      within: '/tools/',
      entries: [
        { label: 'Home', hint: 'Your dashboard', Icon: 'home', to: '/' },
        ...tools.map(({ card, ways, names }) =>
          can(user, 'Tools', 1) ? { ...card, ways, state: names && <ToolState tool={names} /> } : card,
        ),
      ],
    },
    ...(user ? [{ entries: pagesIn('bar', user) }] : []),
    ...(can(user, 'Admin', 1) ? [{ label: 'Admin', within: '/admin', entries: pagesIn('admin', user) }] : []),
  ]

const fetchFirstSteps = async () => (await import('./self-check/pages/first-steps.tsx')).FirstSteps
const FirstSteps = lazyPart(fetchFirstSteps)

const AskForAccess = lazyPart(async () => (await import('./admission/pages/access/ask-for-access.tsx')).AskForAccess)
const Locked = lazyPart(async () => (await import('./admission/pages/access/locked.tsx')).Locked)

/** Loads the parts of Home that the signed-in user sees, so that they are shown immediately. */
async function fetchHome() {
  const user = await queryClient.ensureQueryData(sessionQuery).catch(() => null)
  const parts = [
    ...(can(user, 'Tools', 1) ? [fetchDashboard()] : []),
    ...(can(user, 'Admin', 2) && !wereStepsDone() ? [fetchFirstSteps()] : []),
  ]
  await Promise.allSettled(parts)
}

function Home({ tools }: { tools: readonly MountedTool[] }) {
  const user = useScreenUser()
  const mayUse = can(user, 'Tools', 1)
  const isLocked = user && !mayUse && !user.mustSetUp
  const createPath = mayUse ? tools.find(({ ways }) => ways?.create)?.ways?.create : undefined
  const steps = can(user, 'Admin', 2)
    ? (isNew: boolean, rest?: ReactNode) => (
        <Suspense>
          <FirstSteps isNew={isNew} createPath={createPath}>
            {rest}
          </FirstSteps>
        </Suspense>
      )
    : undefined
  const dashboard = mayUse && (
    <Suspense>
      <Dashboard tools={tools} steps={steps} />
    </Suspense>
  )
  return (
    <HomePage
      lead={isLocked && <AskForAccess />}
      dashboard={dashboard}
      tools={tools.map(({ card, ways }) => (isLocked && ways?.create ? { ...card, beside: <Locked /> } : card))}
    >
      {steps?.(false)}
    </HomePage>
  )
}

const SignedIn = lazyPart(async () => (await import('./signed-in.tsx')).SignedIn)

/** Stays mounted when a session ends, so that unsaved changes can still be saved. */
function SignedInParts() {
  const user = useScreenUser()
  return <Suspense>{(user || wasSignedIn()) && <SignedIn />}</Suspense>
}

function routerOf(tools: readonly MountedTool[]) {
  const menus = menusFor(tools)
  const root = createRootRoute({
    component: () => (
      <>
        <Shell menusFor={menus} />
        <SignedInParts />
      </>
    ),
    notFoundComponent: NotFoundPage,
  })
  const under = () => root

  const routes = [
    createRoute({
      getParentRoute: under,
      path: '/',
      ...lazyScreen(async () => {
        await withTimeout(seconds(3), fetchHome())
        return () => <Home tools={tools} />
      }),
    }),
    ...tools.flatMap(({ routes }) => routes(root)),
    ...routesTo(root),
    createRoute({ getParentRoute: under, path: '/_loading', component: LoadingPage }),
    createRoute({ getParentRoute: under, path: '/_fail', component: () => <FailPage /> }),
  ]

  return createRouter({
    routeTree: root.addChildren(routes),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: longestBlank,
    // Shows a loaded screen immediately, without waiting for the loading animation to end.
    defaultPendingMinMs: 0,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ScreenError,
    scrollRestoration: true,
  })
}

async function show(root: Root) {
  // Not a top-level await, which would make the build split more files.
  const router = routerOf(await Promise.all(tools.map(mountTool)))
  watchSession(router)
  // On leaving, the router lets the browser restore the scroll position, which it does while the page is still short.
  addEventListener('pagehide', () => {
    history.scrollRestoration = 'manual'
  })
  const page = (
    <StrictMode>
      {/* Without style elements of its own, Base UI needs no exception in the content security policy. */}
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>
  )
  // Keep the static HTML until there is a screen or a loading screen, which redirects delay.
  const loaded = router.load().then(() => true)
  while (!(await withTimeout(50, loaded)) && router.state.matches.length === 0);
  // A transition renders in pieces, between which the browser responds to the user.
  startTransition(() => root.render(page))
}

watchTheme()
patchDomForTranslation()
const place = document.getElementById('root')
if (place) {
  const root = createRoot(place)
  show(root).catch((error: unknown) => root.render(<FailPage error={error} />))
}
