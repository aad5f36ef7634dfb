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
import { searchButton } from './ui/search/search-button.tsx'

const useTabIcon = lazyWhenIdle(async () => (await import('./entries/pages/health/tab-icon.tsx')).TabIcon)
const useProgress = lazyWhenIdle(async () => (await import('./entries/pages/progress.tsx')).Progress)
const useShortcuts = lazyWhenIdle(async () => (await import('./ui/shell/shortcuts.tsx')).Shortcuts)
const SearchButton = searchButton(async () => (await import('./search-panel.tsx')).SearchEverything)
const withEntries = tools.filter((tool) => tool.kind === 'entries')
/** What the screen itself asks for comes first. */
const lateAfter: Milliseconds = seconds(3)

/** What can wait: the shortcuts, what the icon of the tab shows, and what goes on in the background. */
function Late({ tools }: { tools: typeof withEntries }) {
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

/**
 * What a screen needs besides once somebody has signed in: live changes, the search and the bell in the header, a way back in over unsaved ones, the way to a second
 * factor where one is required, and to a proof where a call needs one.
 */
export function SignedIn() {
  const user = useSessionUser()
  return (
    <>
      {/* The server refuses users who must set up a second factor first. */}
      {user && !user.mustSetUp && (
        <Fragment key={user.id}>
          <LiveStream />
          <SearchButton />
          <Bell />
          <Late tools={can(user, 'Tools', 1) ? withEntries : []} />
        </Fragment>
      )}
      <SignInAgain />
      <SetUpFirst />
      <Proof />
    </>
  )
}

/** Leads users who must set up a second factor there from screens without a guard. */
function SetUpFirst() {
  const navigate = useNavigate()
  const isDue = useSessionUser()?.mustSetUp === true
  const isThere = useRouterState({ select: ({ location }) => location.pathname === pages.secondFactor.path })
  useEffect(() => {
    if (isDue && !isThere) void navigate({ to: pages.secondFactor.path, replace: true })
  }, [isDue, isThere, navigate])
  return null
}
