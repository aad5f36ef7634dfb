import { ChevronRight, RotateCw } from 'lucide-react'
import { useId, useState } from 'react'
import { IconButton } from '../../../../ui/components/button.tsx'
import { Moment } from '../../../../ui/components/moment.tsx'
import { StatusPill } from '../../../../ui/components/pill.tsx'
import { formatTime } from '../../../../ui/format-time.ts'
import type { Delivery, DeliveryState } from '../../contract.ts'
import css from './deliveries.module.css'
import { useReplay } from './delivery-calls.ts'
import { DeliveryPayload } from './delivery-payload.tsx'
import { attemptsText, eventName, stateMeaning, stateName } from './delivery-words.ts'

/** One line of the log, which opens to show the stored event. */
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

const looks = { accepted: 'busy', delivered: 'ok', ignored: 'off', collapsed: 'off', held: 'bad' } as const

const StatePill = ({ state }: { state: DeliveryState }) => (
  <span title={stateMeaning[state]}>
    <StatusPill look={looks[state]} text={stateName[state]} />
  </span>
)

/** A pending delivery can't be replayed; the button stays, and so does the focus. */
function ReplayOne({ entryId, delivery: { id, state }, name }: { entryId: string; delivery: Delivery; name: string }) {
  const replay = useReplay(entryId)
  const isDisabled = replay.isPending || state === 'accepted'
  return (
    <IconButton
      label={`Replay ${name}`}
      title={state === 'accepted' ? 'Pending' : 'Replay'}
      aria-disabled={isDisabled}
      onClick={() => isDisabled || replay.mutate({ deliveries: [id] })}
    >
      <RotateCw size={14} aria-hidden="true" />
    </IconButton>
  )
}
