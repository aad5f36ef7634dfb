import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { takeHeld, useEditing } from '../../web/editing.ts'
import { later } from '../../web/idle.ts'
import { queryClient } from '../../web/query.ts'
import { sessionQuery, useSessionUser } from '../../web/session.ts'

const useModals = later(async () => (await import('./again-modals.tsx')).AgainModals)

/** Keeps unsaved changes on screen when the session of whoever made them ends, and asks for that user again. */
export function SignInAgain() {
  const user = useSessionUser()
  const { author, isPostponed } = useEditing()
  const { Component: Modals } = useModals()
  useFreshSession(user?.id)
  useLeaveOnceSaved(author !== undefined)
  if (!Modals || !author || user === undefined) return null
  return <Modals author={author} user={user} isPostponed={isPostponed} />
}

/** Asks anew for everything once somebody is signed in again: what was asked meanwhile was refused. */
function useFreshSession(id: string | undefined) {
  const last = useRef(id)
  const wasNobody = useRef(false)
  useEffect(() => {
    if (id === undefined) {
      wasNobody.current = last.current !== undefined
      return
    }
    const isBack = wasNobody.current || (last.current !== undefined && last.current !== id)
    last.current = id
    wasNobody.current = false
    if (isBack)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }, [id])
}

/** Without unsaved changes the screen is for those alone who may see it. */
function useLeaveOnceSaved(isEditing: boolean) {
  const router = useRouter()
  const user = useSessionUser()
  useEffect(() => {
    if (!isEditing && takeHeld()) void router.invalidate()
  }, [isEditing, router])
  const isNobody = user === null
  const wasEditing = useRef(false)
  useEffect(() => {
    if (!isEditing && wasEditing.current && isNobody) void router.invalidate()
    wasEditing.current = isEditing
  }, [isEditing, isNobody, router])
}
