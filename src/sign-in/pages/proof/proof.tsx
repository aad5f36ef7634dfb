import { useRouter } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { pauseCallsDuring, setProofGetter } from '../../../ui/data/api.ts'
import { hasUnsaved, takeBlocked, useEditing } from '../../../ui/data/editing.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { sessionQuery, signInCount, useSessionUser } from '../../../ui/data/session.ts'
import { externalState } from '../../../ui/external-state.ts'
import { lazyPart, lazyWhenIdle } from '../../../ui/navigation/lazy.ts'

const ProofModal = lazyPart(async () => (await import('./proof-modal.tsx')).ProofModal)

setProofGetter(askForProof)

/** Shows the confirmation dialog over the current screen when a call needs a recent proof. */
export function Proof() {
  const end = question.use()
  const user = useSessionUser()
  // Only the user whose call was refused can answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the user changes
  useEffect(() => () => question.get()?.(false), [user?.id])
  if (!end || !user) return null
  return (
    <Suspense>
      <ProofModal user={user} onEnd={end} />
    </Suspense>
  )
}

type End = (isProven: boolean) => void

/** Closes the open dialog; undefined if none is open. */
const question = externalState<End | undefined>(undefined)
let answer: Promise<boolean> | undefined

/** Asks the user to confirm their identity; calls that are refused at the same time share one dialog. */
function askForProof(): Promise<boolean> {
  answer ??= new Promise<boolean>((resolve) => question.set(resolve)).finally(() => {
    answer = undefined
    question.set(undefined)
  })
  return answer
}

const useModals = lazyWhenIdle(async () => (await import('../sign-in-again-modals.tsx')).SignInAgainModals)

/** Keeps unsaved changes on screen when their author's session ends, and asks that user to sign in again. */
export function SignInAgain() {
  const user = useSessionUser()
  const { author, isPostponed } = useEditing()
  const needed = author !== undefined && user !== undefined && user?.id !== author.id
  const { Component: Modals } = useModals({ needed })
  useFreshSession(user?.id)
  useLeaveOnceSaved(author !== undefined)
  if (!Modals || !author || user === undefined) return null
  return <Modals author={author} user={user} isPostponed={isPostponed} />
}

/** Reloads everything after a user signs in again, because requests were refused meanwhile. */
function useFreshSession(id: string | undefined) {
  const last = useRef(id)
  const lastCount = useRef(signInCount)
  const wasNobody = useRef(false)
  useEffect(() => {
    if (id === undefined) {
      wasNobody.current = last.current !== undefined
      return
    }
    const isOwn = lastCount.current !== signInCount
    lastCount.current = signInCount
    // Another tab has signed in as another user, but dialogs on this screen still belong to the previous one.
    if (last.current !== undefined && last.current !== id && !wasNobody.current && !isOwn && !hasUnsaved())
      return void pauseCallsDuring(() => new Promise(() => location.reload()))
    const isBack = wasNobody.current || (last.current !== undefined && last.current !== id)
    last.current = id
    wasNobody.current = false
    if (isBack)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }, [id])
}

/** Runs the screen's guard again once there are no unsaved changes. */
function useLeaveOnceSaved(isEditing: boolean) {
  const router = useRouter()
  const isNobody = useSessionUser() === null
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    const isOver = wasEditing.current && !isEditing
    wasEditing.current = isEditing
    if (isOver && (takeBlocked() || isNobody)) void router.invalidate()
  }, [isEditing, isNobody, router])
}
