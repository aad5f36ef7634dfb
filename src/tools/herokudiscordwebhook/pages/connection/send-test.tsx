import { Send } from 'lucide-react'
import { Button } from '../../../../ui/components/button.tsx'
import { useSendTest } from '../deliveries/delivery-calls.ts'

/** Posts a message to the saved webhook that says it is a test. */
export function SendTest({ id }: { id: string }) {
  const test = useSendTest(id)
  return (
    <Button size="small" disabled={test.isPending} onClick={() => test.mutate()}>
      <Send size={13} aria-hidden="true" />
      Send test
    </Button>
  )
}
