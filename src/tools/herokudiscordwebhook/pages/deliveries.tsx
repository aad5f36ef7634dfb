import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronRight, Copy, RotateCw, Send } from 'lucide-react'
import { useId, useState } from 'react'
import { formatPercent } from '../../../shared/count.ts'
import { days, hours } from '../../../shared/time.ts'
import { Button, IconButton } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { Form } from '../../../ui/components/form.tsx'
import { LoadFailed } from '../../../ui/components/load-failed.tsx'
import { Ago, Moment } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { ShowOlder } from '../../../ui/components/show-older.tsx'
import { Bars } from '../../../ui/components/status.tsx'
import { reason } from '../../../ui/data/api.ts'
import { useRefetchInterval } from '../../../ui/data/live.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { TextField } from '../../../ui/form/field.tsx'
import small from '../../../ui/form/small-select.module.css'
import { formatDuration, formatTime } from '../../../ui/format-time.ts'
import { Chips } from '../../../ui/table/search-box.tsx'
import { timeNow } from '../../../ui/time-now.ts'
import type { Delivery } from '../contract.ts'
import { deliveriesQuery, deliveryQuery, type Relay, type Span, useReplay, useSendTest } from './calls.ts'
import css from './deliveries.module.css'
import { attemptsText, eventName, type Newest, sinceLabel, states } from './delivery-labels.ts'

export function Log({ entry }: { entry: Relay }) {
  const { id, held, recent, stats } = entry
  const refetchInterval = useRefetchInterval()
  const query = useInfiniteQuery({ ...deliveriesQuery(id), refetchInterval })
  const { data, isError, hasNextPage } = query
  const rate = stats.uptime['30d']
  return (
    <Card className={css.log} aria-label="Run History">
      <div className={css.head}>
        <h2>Run History</h2>
        <Bars runs={recent} />
        <span>
          <b>{rate === null ? '–' : formatPercent(rate)}</b> delivered in 30 days
        </span>
        {stats.median !== null && (
          <span>
            <b>{formatDuration(stats.median)}</b> median
          </span>
        )}
      </div>
      {data === undefined && !isError && <div aria-busy="true" hidden />}
      <LoadFailed queries={[query]} />
      {data?.length === 0 && (
        <div className={css.empty}>
          <strong>No deliveries yet</strong>
          <span>Run the command under “Connect Heroku”, then deploy, or send a test. Deliveries will appear here.</span>
        </div>
      )}
      {data !== undefined && data.length > 0 && (
        <Events id={id} heldCount={held} newest={{ deliveries: data, areAll: !hasNextPage }} />
      )}
    </Card>
  )
}

export function SendTest({ entry: { id } }: { entry: Relay }) {
  const test = useSendTest()
  return (
    <Button disabled={test.isPending} onClick={() => test.mutate({ id })}>
      <Send size={14} aria-hidden="true" />
      Send test
    </Button>
  )
}

const kinds = { held: 'Failed', accepted: 'Pending', ignored: 'Ignored', collapsed: 'Duplicates' } as const
type Kind = keyof typeof kinds

/** The debounce time in milliseconds. */
const debounceDelay = 500

function Events({ id, heldCount, newest }: { id: string; heldCount: number; newest: Newest }) {
  const [kind, setKind] = useState<Kind>()
  const [text, setText] = useState('')
  const search = useDebounced(text.trim(), debounceDelay)
  const [span, setSpan] = useState<Span>({})
  const filter = { ...span, state: kind ?? ('run' as const), ...(search !== '' && { search }) }
  const refetchInterval = useRefetchInterval()
  const query = useInfiniteQuery({ ...deliveriesQuery(id, filter), refetchInterval })
  const { data, isPlaceholderData, hasNextPage } = query
  return (
    <>
      <div className={css.tools}>
        <Chips label="Show events" all="Runs" kinds={kinds} chosen={kind} onChoose={setKind} />
        <input
          type="search"
          className={`${small.select} ${css.search}`}
          placeholder="Search events"
          aria-label="Search events"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <TimeFilter span={span} onSpan={setSpan} />
        <ReplayHeld id={id} heldCount={heldCount} />
        <ReplaySince id={id} newest={newest} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={css.rows} aria-label="Runs" aria-busy={isPlaceholderData} tabIndex={0}>
        {data?.map((delivery) => (
          <DeliveryRow key={delivery.id} entryId={id} delivery={delivery} />
        ))}
        {hasNextPage && (
          <li className={css.older}>
            <ShowOlder query={query} />
          </li>
        )}
      </ol>
      {data?.length === 0 && <p className={css.none}>No matching events.</p>}
    </>
  )
}

/** Resends all held events. When none are left, the button stays until it loses the focus. */
function ReplayHeld({ id, heldCount }: { id: string; heldCount: number }) {
  const replay = useReplay()
  const [isFocused, setFocused] = useState(false)
  const isDisabled = replay.isPending || heldCount === 0
  if (heldCount === 0 && !isFocused) return null
  return (
    <Button
      size="small"
      aria-disabled={isDisabled}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={() => isDisabled || replay.mutate({ id, state: 'held' })}
    >
      <RotateCw size={13} aria-hidden="true" />
      {heldCount === 0 ? 'Nothing is held' : `Replay all held (${heldCount})`}
    </Button>
  )
}

function DeliveryRow({ entryId, delivery }: { entryId: string; delivery: Delivery }) {
  const [open, setOpen] = useState(false)
  const detailId = useId()
  const { state, receivedAt, note } = delivery
  const { label, look, hint } = states[state]
  const noteText = note ?? (state === 'accepted' ? attemptsText(delivery) : undefined)
  const name = delivery.title ?? eventName(delivery)
  return (
    <li data-open={open || undefined}>
      <span title={hint}>
        <StatusPill look={look} text={label} />
      </span>
      <Moment at={receivedAt} />
      <span className={css.ago}>
        <Ago at={receivedAt} />
      </span>
      <span className={css.what}>
        <button
          type="button"
          className={css.open}
          aria-expanded={open}
          aria-controls={open ? detailId : undefined}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} aria-hidden="true" />
          <span>{name}</span>
        </button>
        {noteText && (
          <span className={css.note} title={noteText} data-usual={state === 'delivered' || undefined}>
            {noteText}
          </span>
        )}
      </span>
      <ReplayOne entryId={entryId} delivery={delivery} name={`${name} from ${formatTime(receivedAt)}`} />
      {open && <DeliveryDetail id={detailId} entryId={entryId} delivery={delivery} />}
    </li>
  )
}

/** A pending delivery can't be replayed, but the button stays, so that it keeps the focus. */
function ReplayOne({ entryId, delivery: { id, state }, name }: { entryId: string; delivery: Delivery; name: string }) {
  const replay = useReplay()
  const isDisabled = replay.isPending || state === 'accepted'
  return (
    <IconButton
      label={`Replay ${name}`}
      title={state === 'accepted' ? 'Pending' : 'Replay'}
      aria-disabled={isDisabled}
      onClick={() => isDisabled || replay.mutate({ id: entryId, deliveries: [id] })}
    >
      <RotateCw size={14} aria-hidden="true" />
    </IconButton>
  )
}

function DeliveryDetail({ id, entryId, delivery }: { id: string; entryId: string; delivery: Delivery }) {
  const { data, error } = useQuery(deliveryQuery(entryId, delivery.id))
  const text = data && JSON.stringify(data.payload, null, 2)
  return (
    <div id={id} className={css.payload} aria-busy={!data && !error}>
      <p className={css.about}>
        <span>{eventName(delivery)}</span>
        <span>{attemptsText(delivery)}</span>
        <code>{delivery.eventId}</code>
      </p>
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

function ReplaySince({ id, newest }: { id: string; newest: Newest }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const replay = useReplay()
  const since = Date.parse(text)
  const isGiven = Number.isFinite(since)
  const send = () => {
    if (!isGiven) setError('Enter a date and time.')
    else if (!replay.isPending) replay.mutate({ id, since })
  }
  return (
    <details className={css.since}>
      <summary>Replay from…</summary>
      <Form noValidate onSend={send}>
        <TextField
          label="From"
          type="datetime-local"
          step={1}
          value={text}
          error={error}
          hint="Resends everything delivered or held since then, in order."
          onChange={(next) => {
            setText(next)
            setError(undefined)
          }}
        />
        <Button type="submit" aria-disabled={replay.isPending}>
          {isGiven ? sinceLabel(newest, since) : 'Replay'}
        </Button>
      </Form>
    </details>
  )
}

const presetSpans = { 'Last hour': hours(1), 'Last 24 hours': days(1), 'Last 7 days': days(7) }
const anyTime = 'Any time'
const custom = 'Custom…'
const spans = [anyTime, ...Object.keys(presetSpans), custom]

function TimeFilter({ span, onSpan }: { span: Span; onSpan: (span: Span) => void }) {
  const id = useId()
  const [chosen, setChosen] = useState(anyTime)
  const choose = (choice: string) => {
    setChosen(choice)
    const length = Object.entries(presetSpans).find(([name]) => name === choice)?.[1]
    onSpan(length === undefined ? {} : { since: timeNow() - length })
  }
  return (
    <>
      <div className={css.filter}>
        <label htmlFor={id}>Received</label>
        <select className={small.select} id={id} value={chosen} onChange={(event) => choose(event.target.value)}>
          {spans.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </div>
      {chosen === custom && (
        <div className={css.between}>
          <TimeField label="Received after" onTime={(since) => onSpan({ ...span, since })} />
          <TimeField label="Received before" onTime={(before) => onSpan({ ...span, before })} />
        </div>
      )}
    </>
  )
}

function TimeField({ label, onTime }: { label: string; onTime: (time: number | undefined) => void }) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        className={`${small.select} ${css.search}`}
        onChange={(event) => {
          const time = Date.parse(event.target.value)
          onTime(Number.isFinite(time) ? time : undefined)
        }}
      />
    </label>
  )
}
