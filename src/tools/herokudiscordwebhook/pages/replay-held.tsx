import { RotateCw } from 'lucide-react'
import { Button } from '../../../web/ui/button.tsx'
import type { Delivery } from '../contract.ts'
import { useReplay } from './delivery-calls.ts'
import { hasHeld, heldLabel } from './delivery-words.ts'

/** Sends all again that Discord did not take. It stays where it is when there is nothing left, and with it the focus. */
export function ReplayHeld({ id, deliveries }: { id: string; deliveries: readonly Delivery[] }) {
  const replay = useReplay(id)
  const rests = replay.isPending || !hasHeld(deliveries)
  return (
    <Button size="small" aria-disabled={rests} onClick={() => rests || replay.mutate({ state: 'held' })}>
      <RotateCw size={13} aria-hidden="true" />
      {heldLabel(deliveries)}
    </Button>
  )
}
