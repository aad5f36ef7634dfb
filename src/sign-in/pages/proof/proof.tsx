import { Suspense } from 'react'
import { withProof } from '../../../ui/data/api.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { lazyPart } from '../../../ui/navigation/lazy.ts'
import { askForProof, useQuestion } from './ask.ts'

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
