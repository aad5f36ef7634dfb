import { useInfiniteQuery } from '@tanstack/react-query'
import { RotateCw, Send } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { Card } from '../../../../ui/components/page/page.tsx'
import { useRefreshEvery } from '../../../../ui/data/live.ts'
import { useDebounced } from '../../../../ui/debounce.ts'
import small from '../../../../ui/form/small-select.module.css'
import { type DeliveryState, deliveryStates } from '../../contract.ts'
import type { Relay } from '../relay.ts'
import css from './deliveries.module.css'
import { deliveriesQuery, type Span, useReplay, useSendTest } from './delivery-calls.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { type Newest, stateName } from './delivery-words.ts'
import { ReplaySince } from './replay-since.tsx'
import { TimeFilter } from './time-filter.tsx'

/** The log of an entry's deliveries, newest first, with replay. */
export function Deliveries({ entry: { id, held } }: { entry: Pick<Relay, 'id' | 'held'> }) {
  const refetchInterval = useRefreshEvery()
  const { data, hasNextPage } = useInfiniteQuery({ ...deliveriesQuery(id), refetchInterval })
  return (
    <Card className={css.log} aria-label="Deliveries">
      <div className={css.head}>
        <h2>Deliveries</h2>
        <SendTest id={id} />
      </div>
      {data?.length === 0 && (
        <div className={css.empty}>
          <strong>No deliveries yet</strong>
          <span>Run the command under “Connect Heroku”, then deploy, or send a test. Deliveries will appear here.</span>
        </div>
      )}
      {data !== undefined && data.length > 0 && (
        <Log id={id} held={held} newest={{ deliveries: data, areAll: !hasNextPage }} />
      )}
    </Card>
  )
}

/** Posts a test message to the saved webhook. */
function SendTest({ id }: { id: string }) {
  const test = useSendTest(id)
  return (
    <Button size="small" disabled={test.isPending} onClick={() => test.mutate()}>
      <Send size={13} aria-hidden="true" />
      Send test
    </Button>
  )
}

type Shown = DeliveryState | 'all'

/** Milliseconds after the last key. */
const wait = 500

function Log({ id, held, newest }: { id: string; held: number; newest: Newest }) {
  const [shown, show] = useState<Shown>('all')
  const [text, setText] = useState('')
  const search = useDebounced(text.trim(), wait)
  const [span, setSpan] = useState<Span>({})
  const asked = { ...span, ...(shown !== 'all' && { state: shown }), ...(search !== '' && { search }) }
  const refetchInterval = useRefreshEvery()
  const { data, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...deliveriesQuery(id, asked),
    refetchInterval,
  })
  return (
    <>
      <div className={css.tools}>
        <StateFilter shown={shown} onShow={show} />
        <input
          type="search"
          className={css.search}
          placeholder="Search…"
          aria-label="Search deliveries"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <TimeFilter span={span} onSpan={setSpan} />
        <ReplayHeld id={id} held={held} />
        <ReplaySince id={id} newest={newest} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={css.rows} aria-label="Newest deliveries" aria-busy={isPlaceholderData} tabIndex={0}>
        {data?.map((delivery) => (
          <DeliveryRow key={delivery.id} entryId={id} delivery={delivery} />
        ))}
        {hasNextPage && (
          <li className={css.older}>
            <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load older deliveries
            </Button>
          </li>
        )}
      </ol>
      {data?.length === 0 && <p className={css.none}>No matching deliveries.</p>}
    </>
  )
}

/** Resends everything that is held. When nothing is left it stays until the focus has gone. */
function ReplayHeld({ id, held }: { id: string; held: number }) {
  const replay = useReplay(id)
  const [isFocused, setFocused] = useState(false)
  const isDisabled = replay.isPending || held === 0
  if (held === 0 && !isFocused) return null
  return (
    <Button
      size="small"
      aria-disabled={isDisabled}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={() => isDisabled || replay.mutate({ state: 'held' })}
    >
      <RotateCw size={13} aria-hidden="true" />
      {held === 0 ? 'Nothing is held' : `Replay all held (${held})`}
    </Button>
  )
}

function StateFilter({ shown, onShow }: { shown: Shown; onShow: (shown: Shown) => void }) {
  const id = useId()
  return (
    <div className={css.filter}>
      <label htmlFor={id}>Show</label>
      <select
        className={small.select}
        id={id}
        value={shown}
        onChange={(event) => onShow(choices.find((one) => one === event.target.value) ?? 'all')}
      >
        {choices.map((state) => (
          <option key={state} value={state}>
            {state === 'all' ? 'All' : stateName[state]}
          </option>
        ))}
      </select>
    </div>
  )
}

const choices: readonly Shown[] = ['all', ...deliveryStates]
