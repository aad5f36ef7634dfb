import { RotateCw } from 'lucide-react'
import { Button } from '../../../../ui/components/button.tsx'
import { useReplay } from './delivery-calls.ts'

/** Sends all again that Discord did not take. It stays where it is when there is nothing left, and with it the focus. */
export function ReplayHeld({ id, held }: { id: string; held: number }) {
  const replay = useReplay(id)
  const rests = replay.isPending || held === 0
  return (
    <Button size="small" aria-disabled={rests} onClick={() => rests || replay.mutate({ state: 'held' })}>
      <RotateCw size={13} aria-hidden="true" />
      Replay all held ({held})
    </Button>
  )
}
