import { Suspense, useSyncExternalStore } from 'react'
import { withProof } from '../../../ui/data/api.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { lazyPart } from '../../../ui/navigation/lazy.ts'

const ProofModal = lazyPart(async () => (await import('./proof-modal.tsx')).ProofModal)

withProof(askForProof)

/** Asks for a proof when a call needs one, over whatever is shown. */
export function Proof() {
  const end = useQuestion()
  const user = useSessionUser()
  if (!end || !user) return null
  return (
    <Suspense>
      <ProofModal user={user} onEnd={end} />
    </Suspense>
  )
}

/** Ends the question; true if the user has proved who they are. */
type End = (isProven: boolean) => void

let end: End | undefined
let answer: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function set(next: End | undefined) {
  end = next
  for (const listener of listeners) listener()
}

/** Asks the user to prove who they are; calls that are refused at the same time share the answer. */
function askForProof(): Promise<boolean> {
  answer ??= new Promise<boolean>((resolve) => set(resolve)).finally(() => {
    answer = undefined
    set(undefined)
  })
  return answer
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What ends the question that is asked now, if one is. */
const useQuestion = (): End | undefined => useSyncExternalStore(subscribe, () => end)
