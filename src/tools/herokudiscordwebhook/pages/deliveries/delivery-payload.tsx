import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { Button } from '../../../../ui/components/button.tsx'
import { copy } from '../../../../ui/components/copy.ts'
import { reason } from '../../../../ui/data/api.ts'
import type { Delivery } from '../../contract.ts'
import css from './deliveries.module.css'
import { deliveryQuery } from './delivery-calls.ts'

/** The stored event, without secrets, as JSON to read and copy. */
export function DeliveryPayload({ id, entryId, delivery }: { id: string; entryId: string; delivery: Delivery }) {
  const { data, error } = useQuery(deliveryQuery(entryId, delivery.id))
  const text = data && JSON.stringify(data.payload, null, 2)
  return (
    <div id={id} className={css.payload} aria-busy={!data && !error}>
      {error && <p>Couldn't load the payload: {reason(error)}</p>}
      {text === '{}' && <p>Test messages have no payload: they come from ToolBox, not from Heroku.</p>}
      {text !== undefined && text !== '{}' && (
        <>
          <p>
            Secrets are hidden.
            <Button size="small" aria-label="Copy payload" onClick={() => void copy(text, 'the payload')}>
              <Copy size={13} aria-hidden="true" />
              Copy
            </Button>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section aria-label="Payload" tabIndex={0}>
            <pre>
              <code>{text}</code>
            </pre>
          </section>
        </>
      )}
    </div>
  )
}
