import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Fragment, useEffect, useState } from 'react'
import { Bell } from './notices/pages/inbox/bell.tsx'
import { type Milliseconds, seconds } from './shared/time.ts'
import { can } from './shared/user.ts'
import { Proof, SignInAgain } from './sign-in/pages/proof/proof.tsx'
import { tools } from './tools/index.ts'
import { LiveStream } from './ui/data/live-stream.ts'
import { useSessionUser } from './ui/data/session.ts'
import { setUpPath } from './ui/navigation/guard.ts'
import { lazyWhenIdle } from './ui/navigation/lazy.ts'
import { searchButton } from './ui/search/search-button.tsx'

const useTabIcon = lazyWhenIdle(async () => (await import('./entries/pages/health/tab-icon.tsx')).TabIcon)
const useProgress = lazyWhenIdle(async () => (await import('./entries/pages/progress.tsx')).Progress)
const SearchButton = searchButton(async () => (await import('./search-panel.tsx')).SearchEverything)
const withEntries = tools.filter((tool) => tool.kind === 'entries')
/** What the screen itself asks for comes first. */
const lateAfter: Milliseconds = seconds(3)

/** What the icon of the tab shows can wait, and so can what goes on in the background. */
function Late() {
  const [needed, setNeeded] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setNeeded(true), lateAfter)
    return () => clearTimeout(timer)
  }, [])
  const { Component: TabIcon } = useTabIcon({ needed })
  const { Component: Progress } = useProgress({ needed })
  return (
    <>
      {TabIcon && <TabIcon tools={withEntries} />}
      {Progress && <Progress />}
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
          {can(user, 'Tools', 1) && <Late />}
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
  const isThere = useRouterState({ select: ({ location }) => location.pathname === setUpPath })
  useEffect(() => {
    if (isDue && !isThere) void navigate({ to: setUpPath, replace: true })
  }, [isDue, isThere, navigate])
  return null
}
