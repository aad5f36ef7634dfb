import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Fragment, useEffect, useState } from 'react'
import { Bell } from './notices/pages/inbox/bell.tsx'
import { pages } from './shared/pages.ts'
import { type Milliseconds, seconds } from './shared/time.ts'
import { can } from './shared/user.ts'
import { Proof, SignInAgain } from './sign-in/pages/proof/proof.tsx'
import { tools } from './tools/index.ts'
import { LiveStream } from './ui/data/live-stream.ts'
import { useSessionUser } from './ui/data/session.ts'
import { lazyWhenIdle } from './ui/navigation/lazy.ts'
import { createSearchButton } from './ui/search/search-button.tsx'

const useTabIcon = lazyWhenIdle(async () => (await import('./entries/pages/health/tab-icon.tsx')).TabIcon)
const useProgress = lazyWhenIdle(async () => (await import('./entries/pages/progress.tsx')).Progress)
const useShortcuts = lazyWhenIdle(async () => (await import('./ui/shell/shortcuts.tsx')).Shortcuts)
const SearchButton = createSearchButton(async () => (await import('./search-panel.tsx')).SearchEverything)
const withEntries = tools.filter((tool) => tool.kind === 'entries')
/** The delay gives precedence to the requests of the screen itself. */
const lateAfter: Milliseconds = seconds(3)

/** The parts that can load late: the shortcuts, the state of the tab's icon, and the progress of background jobs. */
function LateParts({ tools }: { tools: typeof withEntries }) {
  const [needed, setNeeded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setNeeded(true), lateAfter)
    return () => clearTimeout(timer)
  }, [])
  const isOfTools = tools.length > 0
  const { Component: TabIcon } = useTabIcon({ needed: needed && isOfTools })
  const { Component: Progress } = useProgress({ needed: needed && isOfTools })
  const { Component: Shortcuts } = useShortcuts({ needed })
  return (
    <>
      {TabIcon && isOfTools && <TabIcon tools={tools} />}
      {Progress && isOfTools && <Progress />}
      {Shortcuts && <Shortcuts tools={tools} />}
    </>
  )
}

/** Live changes, search, bell, the redirect to two-factor setup, and dialogs to sign in again or prove identity. */
export function SignedIn() {
  const user = useSessionUser()
  return (
    <>
      {/* The server rejects these calls while the user must still set up a second factor. */}
      {user && !user.mustSetUp && (
        <Fragment key={user.id}>
          <LiveStream />
          <SearchButton />
          <Bell />
          <LateParts tools={can(user, 'Tools', 1) ? withEntries : []} />
        </Fragment>
      )}
      <SignInAgain />
      <SetUpFirst />
      <Proof />
    </>
  )
}

/** Redirects users who must set up a second factor from screens that have no guard. */
function SetUpFirst() {
  const navigate = useNavigate()
  const isDue = useSessionUser()?.mustSetUp === true
  const isThere = useRouterState({ select: ({ location }) => location.pathname === pages.secondFactor.path })
  useEffect(() => {
    if (isDue && !isThere) void navigate({ to: pages.secondFactor.path, replace: true })
  }, [isDue, isThere, navigate])
  return null
}
