import { memo, type PointerEvent, useDeferredValue, useRef, useState } from 'react'
import { formatPercent } from '../../../shared/count.ts'
import { useAgo } from '../../../ui/clock.ts'
import { axisTo } from '../../../ui/components/axis.ts'
import chart from '../../../ui/components/chart.module.css'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { formatDuration, formatTime, formatZone } from '../../../ui/format-time.ts'
import { tipped } from '../../../ui/tip.ts'
import type { Run, Stats } from '../../contract.ts'
import type { EntryScreens } from '../tool-pages.ts'
import css from './history.module.css'

/** More lines than are seen without scrolling. */
const firstLines = 15

type Words = Pick<EntryScreens, 'rate' | 'counted' | 'plotted' | 'hasOwnLog'>

type Props = { history: readonly Run[]; stats: Stats; words: Words }

/** The kept runs of an entry: figures, a chart, and a line for each run, newest first. Drawn anew only if they are others: there are hundreds. */
export const RunHistory = memo(function RunHistory({ history, stats, words }: Props) {
  // The rest is drawn once the screen stands, in pieces that hold up nobody who taps.
  const lines = useDeferredValue(history, history.slice(0, firstLines))
  return (
    <Card className={`${chart.card} ${css.card}`} aria-label="Run History">
      <div className={chart.head}>
        <h2>Run History</h2>
        {history.length > 0 && <Figures stats={stats} rate={words.rate} />}
      </div>
      {history.length === 0 && <p className={chart.none}>No runs yet.</p>}
      {history.length > 0 && <HistoryChart history={history} plotted={words.plotted} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={css.runs} aria-label="Runs" tabIndex={0}>
        {lines.map((run) => (
          <RunLine key={run.timestamp} run={words.hasOwnLog ? withoutNote(run) : run} counted={words.counted} />
        ))}
      </ol>
    </Card>
  )
})

function Figures({ stats: { up, median, p95 }, rate }: { stats: Stats } & Pick<Words, 'rate'>) {
  return (
    <dl className={chart.figures}>
      {up !== null && <Figure name={rate.toLowerCase()} text={formatPercent(up)} />}
      {median !== null && <Figure name="median" text={formatDuration(median)} />}
      {p95 !== null && <Figure name="p95" text={formatDuration(p95)} />}
    </dl>
  )
}

const Figure = ({ name, text }: { name: string; text: string }) => (
  <div className={css.figure}>
    <dt>{name}</dt>
    <dd>{text}</dd>
  </div>
)

const withoutNote = ({ note: _, ...run }: Run): Run => run

function RunLine({ run, counted }: { run: Run; counted: Words['counted'] }) {
  return (
    <li>
      <RunPill success={run.success} />
      <time dateTime={new Date(run.timestamp).toISOString()} {...tipped(() => formatZone(run.timestamp))}>
        {formatTime(run.timestamp)}
      </time>
      <span className={css.ago}>
        <Ago at={run.timestamp} />
      </span>
      <span className={css.more} data-note={run.note === undefined ? undefined : ''}>
        {wordsOf(run, counted)}
      </span>
    </li>
  )
}

/** What a run counted or was answered, its note, and how long it took. */
function wordsOf({ status, duration, note }: Run, counted: Words['counted']): string {
  const count = status === undefined ? undefined : counted?.(status)
  // A note that holds the count says more.
  const isSaid = count !== undefined && note?.includes(count) === true
  return [isSaid ? undefined : count, note, duration === undefined ? undefined : formatDuration(duration)]
    .filter(Boolean)
    .join(' · ')
}

const width = 600
const height = 120
/** A short history starts at the right, with bars as wide as later. */
const leastSlots = 40

/**
 * The duration of each run, or what `plotted` names of those that it counted; oldest on the left, interrupted where one
 * failed. Below it a bar for each run.
 */
function HistoryChart({ history, plotted }: { history: readonly Run[]; plotted: string | undefined }) {
  const [at, setAt] = useState<number>()
  const runs = history.toReversed()
  const slots = Math.max(leastSlots, runs.length)
  const empty = slots - runs.length
  const pointed = at === undefined ? undefined : runs[at]
  const [first, last] = [useAgo(runs[0]?.timestamp), useAgo(runs.at(-1)?.timestamp)]
  const strip = useRef<HTMLDivElement>(null)
  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = (strip.current ?? event.currentTarget).getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * slots) - empty
    setAt(Math.min(runs.length - 1, Math.max(0, place)))
  }
  return (
    <figure className={chart.chart} onPointerMove={follow} onPointerLeave={() => setAt(undefined)}>
      {plotted !== undefined && (
        <p className={css.plotted} aria-hidden="true">
          {plotted}
        </p>
      )}
      <Line plot={plotted === undefined ? duration : counts(plotted)} runs={runs} slots={slots} at={at} />
      <div ref={strip} className={css.strip} aria-hidden="true">
        {Array.from({ length: empty }, (_, slot) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an empty slot is only a place
          <i key={slot} data-empty />
        ))}
        {runs.map((run, index) => (
          <i key={run.timestamp} data-bad={!run.success || undefined} data-at={index === at || undefined} />
        ))}
      </div>
      <figcaption className={chart.legend}>
        <span>{first !== last && first}</span>
        <span>{pointed ? inWords(pointed, plotted) : runCount(runs.length)}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  )
}

const runCount = (runs: number) => (runs === 1 ? '1 run' : `${runs} runs`)
const inWords = ({ success, timestamp, status, duration }: Run, plotted: string | undefined) =>
  [
    success ? 'SUCCESS' : 'FAIL',
    formatTime(timestamp),
    plotted !== undefined && status !== undefined && `${plotted}: ${status}`,
    duration !== undefined && formatDuration(duration),
  ]
    .filter(Boolean)
    .join(' · ')

/** What a line shows of runs, and the least that it has room for. */
type Plot = { name: string; of: (run: Run) => number | undefined; least: number; format: (value: number) => string }
const duration: Plot = { name: 'Run duration', of: (run) => run.duration, least: 10, format: formatDuration }
const counts = (name: string): Plot => ({ name, of: (run) => run.status, least: 2, format: String })

function Line(props: { plot: Plot; runs: readonly Run[]; slots: number; at: number | undefined }) {
  const { plot, runs, slots, at } = props
  const values = runs.map((run) => (run.success ? plot.of(run) : undefined))
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return null
  const { top, ticks } = axisTo(Math.max(...known, plot.least), 2)
  const x = (index: number) => ((index + 0.5 + slots - runs.length) / slots) * width
  const y = (value: number) => height - (value / top) * (height - 6)
  let [stroke, fill, dots] = ['', '', '']
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue
    const [isFirst, isLast] = [values[index - 1] === undefined, values[index + 1] === undefined]
    const point = `${x(index)} ${y(value)}`
    stroke += `${isFirst ? 'M' : 'L'}${point}`
    fill += `${isFirst ? `M${x(index)} ${height}` : ''}L${point}${isLast ? `V${height}Z` : ''}`
    if (isFirst && isLast) dots += `M${point}h0.01`
  }
  return (
    <div className={`${chart.plot} ${css.plot}`}>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={plot.name}>
        {ticks.map((tick) => (
          <line key={tick} className={chart.grid} x1={0} x2={width} y1={y(tick)} y2={y(tick)} />
        ))}
        <path className={css.area} d={fill} />
        <path className={css.line} d={stroke} />
        <path className={css.dot} d={dots} />
        {at !== undefined && <line className={css.cursor} x1={x(at)} x2={x(at)} y1={0} y2={height} />}
      </svg>
      {ticks.map((tick) => (
        <span key={tick} className={chart.tick} style={{ top: `${(y(tick) / height) * 100}%` }} aria-hidden="true">
          {plot.format(tick)}
        </span>
      ))}
    </div>
  )
}
