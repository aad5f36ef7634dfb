import { ChevronRight, RotateCw } from 'lucide-react'
import { useId, useState } from 'react'
import { IconButton } from '../../../../ui/components/button.tsx'
import { Moment } from '../../../../ui/components/moment.tsx'
import { formatTime } from '../../../../ui/format-time.ts'
import type { Delivery } from '../../contract.ts'
import css from './deliveries.module.css'
import { useReplay } from './delivery-calls.ts'
import { DeliveryPayload } from './delivery-payload.tsx'
import { StatePill } from './delivery-state.tsx'
import { attemptsText, eventName } from './delivery-words.ts'

/** One line of the log, which opens to show what was kept of its event. */
export function DeliveryRow({ entryId, delivery }: { entryId: string; delivery: Delivery }) {
  const [open, setOpen] = useState(false)
  const payloadId = useId()
  const { eventId, state, receivedAt, note } = delivery
  const kind = eventName(delivery)
  const name = delivery.title ?? kind
  return (
    <li data-open={open || undefined}>
      <StatePill state={state} />
      <button
        type="button"
        className={css.open}
        aria-expanded={open}
        aria-controls={open ? payloadId : undefined}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={14} aria-hidden="true" />
        {name}
      </button>
      <Moment at={receivedAt} />
      <ReplayOne entryId={entryId} delivery={delivery} name={`${name} from ${formatTime(receivedAt)}`} />
      <p className={css.about}>
        {name !== kind && <span>{kind}</span>}
        <code title={eventId}>{eventId}</code>
        <span>{attemptsText(delivery)}</span>
        <span className={css.note}>{note}</span>
      </p>
      {open && <DeliveryPayload id={payloadId} entryId={entryId} delivery={delivery} />}
    </li>
  )
}

/** What is on its way already cannot be sent again; the button stays where it is, and with it the focus. */
function ReplayOne({ entryId, delivery: { id, state }, name }: { entryId: string; delivery: Delivery; name: string }) {
  const replay = useReplay(entryId)
  const rests = replay.isPending || state === 'accepted'
  return (
    <IconButton
      label={`Replay ${name}`}
      title={state === 'accepted' ? 'Pending' : 'Replay'}
      aria-disabled={rests}
      onClick={() => rests || replay.mutate({ deliveries: [id] })}
    >
      <RotateCw size={14} aria-hidden="true" />
    </IconButton>
  )
}
