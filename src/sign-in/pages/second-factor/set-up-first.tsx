import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSessionUser } from '../../../ui/data/session.ts'
import { setUpPath } from '../../../ui/navigation/guard.ts'

/** Leads users who must set up a second factor there from screens without a guard. */
export function SetUpFirst() {
  const navigate = useNavigate()
  const isDue = useSessionUser()?.mustSetUp === true
  const isThere = useRouterState({ select: ({ location }) => location.pathname === setUpPath })
  useEffect(() => {
    if (isDue && !isThere) void navigate({ to: setUpPath, replace: true })
  }, [isDue, isThere, navigate])
  return null
}
