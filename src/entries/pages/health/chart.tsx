import { memo, type PointerEvent, useRef, useState } from 'react'
import { formatCount, formatPercent } from '../../../shared/count.ts'
import { dayOf, days as daysLong, type Instant, type Milliseconds } from '../../../shared/time.ts'
import { useAgo } from '../../../ui/clock.ts'
import { axisTo } from '../../../ui/components/axis.ts'
import chart from '../../../ui/components/chart.module.css'
import { Card } from '../../../ui/components/page.tsx'
import { formatDuration, formatTime } from '../../../ui/format-time.ts'
import { Chips } from '../../../ui/table/search-box.tsx'
import { timeNow } from '../../../ui/time-now.ts'
import type { Run, Stats } from '../../contract.ts'
import type { EntryScreens } from '../tool-pages.ts'
import css from './chart.module.css'

declare module 'react' {
  interface CSSProperties {
    /** The part of a bar that is red. */
    '--failed'?: string
  }
}

type Range = keyof Stats['uptime']
const ranges: Record<Range, string> = { '24h': '24 h', '7d': '7 d', '30d': '30 d', '90d': '90 d' }
const names: Record<Range, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' }
const lengths: Record<Range, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 }

/** A single run, or the runs of a day. */
type Slot = { ok: number; fail: number; value: number | undefined; words: string }
/** Oldest first; days without runs are undefined. */
type Series = {
  slots: readonly (Slot | undefined)[]
  isByDay: boolean
  first: Instant
  last: Instant
  runs: readonly Run[]
  /** Earlier runs of the range are no longer kept. */
  isPartial: boolean
}

type Props = { history: readonly Run[]; stats: Stats; words: Pick<EntryScreens, 'rate' | 'plotted'> }

/** Memoized: renders again only if the runs change. */
export const Chart = memo(function Chart({ history, stats, words: { rate, plotted } }: Props) {
  const [range, setRange] = useState<Range>('24h')
  const title = `${rate} and ${plotted?.toLowerCase() ?? 'response time'}`
  const series = plotted === undefined ? slotsOf(history, stats, range) : slotsOf(history, stats, range, plotted)
  const isEmpty = series.slots.every((slot) => slot === undefined)
  return (
    <Card className={`${chart.card} ${css.card}`} aria-label={title}>
      <div className={chart.head}>
        <h2>{title}</h2>
        <Chips
          label="Range"
          all={null}
          kinds={ranges}
          chosen={range}
          onChoose={(chosen) => chosen !== undefined && setRange(chosen)}
        />
      </div>
      <Figures series={series} rate={rate} share={stats.uptime[range]} />
      {isEmpty ? (
        <p className={chart.none}>{history.length === 0 ? 'No runs yet.' : `No runs in the last ${names[range]}.`}</p>
      ) : (
        <Drawing series={series} plotted={plotted} />
      )}
    </Card>
  )
})

/** Individual runs for 24 hours, or if all runs of the range are kept; otherwise whole days. */
function slotsOf(history: readonly Run[], { days }: Stats, range: Range, plotted?: string): Series {
  const now = timeNow()
  const since = now - daysLong(lengths[range])
  const counted = days.reduce((sum, { day, ok, fail }) => (day < dayOf(since) ? sum : sum + ok + fail), 0)
  const isKept = counted <= history.length || (history.at(-1)?.timestamp ?? now) <= since
  if (range === '24h' || isKept) {
    const runs = history.filter(({ timestamp }) => timestamp > since).toReversed()
    const slots = runs.map((run) => slotOfRun(run, plotted))
    const [first, last] = [runs[0]?.timestamp ?? now, runs.at(-1)?.timestamp ?? now]
    return { slots, isByDay: false, first, last, runs, isPartial: !isKept }
  }
  const byDay = new Map(days.map((day) => [day.day, day]))
  const slots = Array.from({ length: lengths[range] }, (_, index) => {
    const day = byDay.get(dayOf(now - daysLong(lengths[range] - 1 - index)))
    return day && slotOfDay(day, plotted)
  })
  return { slots, isByDay: true, first: since, last: now, runs: [], isPartial: false }
}

function slotOfRun({ success, timestamp, status, duration }: Run, plotted: string | undefined): Slot {
  const value = plotted === undefined ? duration : status
  const words = [
    success ? 'SUCCESS' : 'FAIL',
    formatTime(timestamp),
    plotted !== undefined && status !== undefined && `${plotted}: ${status}`,
    duration !== undefined && formatDuration(duration),
  ]
  const of = { ok: success ? 1 : 0, fail: success ? 0 : 1 }
  return { ...of, value: success ? value : undefined, words: words.filter(Boolean).join(' · ') }
}

const runCount = (runs: number) => (runs === 1 ? '1 run' : `${formatCount(runs)} runs`)

/** Days are in UTC; their counts aren't kept. */
function slotOfDay({ day, ok, fail, ms }: Stats['days'][number], plotted: string | undefined): Slot {
  const value = plotted === undefined && ok > 0 ? ms : undefined
  const words = [
    day.split('-').reverse().join('/'),
    fail === 0 ? runCount(ok) : `${formatCount(fail)} of ${runCount(ok + fail)} failed`,
    value !== undefined && `${formatDuration(value)} on average`,
  ]
  return { ok, fail, value, words: words.filter(Boolean).join(' · ') }
}

function Figures({ series, rate, share }: { series: Series; rate: Props['words']['rate']; share: number | null }) {
  const [ok, fail] = (['ok', 'fail'] as const).map((key) =>
    series.slots.reduce((sum, slot) => sum + (slot?.[key] ?? 0), 0),
  )
  const all = (ok ?? 0) + (fail ?? 0)
  const took = series.runs
    .flatMap(({ success, duration }) => (success && duration !== undefined ? [duration] : []))
    .sort((a, b) => a - b)
  const at = (part: number) => took[Math.max(0, Math.ceil(part * took.length) - 1)]
  const mean = series.isByDay && all > 0 ? meanOf(series.slots) : undefined
  return (
    <dl className={css.figures}>
      <Figure name={rate} text={share === null ? undefined : formatPercent(share)} />
      <Figure
        name="Failed runs"
        text={all === 0 ? undefined : `${formatCount(fail ?? 0)} of ${lastIfPartial(series)}${formatCount(all)}`}
      />
      {series.isByDay ? (
        <Figure name="Average" text={mean === undefined ? undefined : formatDuration(mean)} />
      ) : (
        <>
          <Figure name="Median" text={durationOf(at(0.5))} />
          <Figure name="95th percentile" text={durationOf(at(0.95))} />
        </>
      )}
    </dl>
  )
}

const lastIfPartial = ({ isPartial }: Series) => (isPartial ? 'the last ' : '')

const durationOf = (value: Milliseconds | undefined) => (value === undefined ? undefined : formatDuration(value))

function meanOf(slots: Series['slots']): number | undefined {
  const samples = slots.flatMap((slot) =>
    slot?.value === undefined ? [] : [{ value: slot.value, runs: slot.ok + slot.fail }],
  )
  const runs = samples.reduce((sum, slot) => sum + slot.runs, 0)
  return runs === 0 ? undefined : samples.reduce((sum, slot) => sum + slot.value * slot.runs, 0) / runs
}

const Figure = ({ name, text }: { name: string; text: string | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd {...(text === undefined && { title: 'Not enough runs in this time yet' })}>{text ?? '–'}</dd>
  </div>
)

const width = 600
const height = 120
/** With fewer runs, the chart starts further right, so that the bars keep their width. */
const leastSlots = 40

/** The line of plotted values is interrupted where no run succeeded. Below it is a bar for each run or day. */
function Drawing({ series, plotted }: { series: Series; plotted: string | undefined }) {
  const { slots, isByDay, first, last } = series
  const [at, setAt] = useState<number>()
  const places = isByDay ? slots.length : Math.max(leastSlots, slots.length)
  const empty = places - slots.length
  const pointed = at === undefined ? undefined : slots[at]
  const [firstAgo, lastAgo] = [useAgo(first), useAgo(last)]
  const strip = useRef<HTMLDivElement>(null)
  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = (strip.current ?? event.currentTarget).getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * places) - empty
    setAt(Math.min(slots.length - 1, Math.max(0, place)))
  }
  return (
    <figure
      className={chart.chart}
      onPointerMove={follow}
      onPointerDown={follow}
      onPointerLeave={() => setAt(undefined)}
    >
      <Line plotted={plotted} slots={slots} places={places} at={at} />
      <div ref={strip} className={css.strip} role="img" aria-label={summaryOf(series)}>
        {Array.from({ length: empty }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an empty slot is only a place
          <i key={place} data-empty />
        ))}
        {slots.map((slot, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is known by its place alone
          <Bar key={index} slot={slot} isAt={index === at} />
        ))}
      </div>
      <figcaption className={chart.legend}>
        <span>{firstAgo !== lastAgo && firstAgo}</span>
        <span>{pointed?.words ?? (isByDay ? '' : runCount(slots.length))}</span>
        <span>{isByDay ? 'Today' : lastAgo}</span>
      </figcaption>
    </figure>
  )
}

/** The least red part of a bar, so that a single failure among many runs is visible. */
const leastFailed = 0.2

function Bar({ slot, isAt }: { slot: Slot | undefined; isAt: boolean }) {
  if (!slot) return <i data-empty />
  const failed = slot.fail / (slot.ok + slot.fail)
  const part = `${Math.round(Math.max(leastFailed, failed) * 100)}%`
  return <i data-at={isAt || undefined} {...(failed > 0 && { 'data-bad': true, style: { '--failed': part } })} />
}

function summaryOf(series: Series): string {
  const { slots, isByDay } = series
  const bad = slots.filter((slot) => slot !== undefined && slot.fail > 0)
  const total = slots.filter((slot) => slot !== undefined).length
  const all = `${lastIfPartial(series)}${total} ${isByDay ? 'days' : 'runs'}`
  if (bad.length === 0) return `No failures in ${all}`
  const latest = bad.slice(-3).toReversed()
  return `Failures in ${bad.length} of ${all}, most recently ${latest.map((slot) => slot?.words).join(', ')}`
}

type LineProps = { plotted: string | undefined; slots: Series['slots']; places: number; at: number | undefined }

function Line({ plotted, slots, places, at }: LineProps) {
  const values = slots.map((slot) => slot?.value)
  const samples = values.filter((value) => value !== undefined)
  if (samples.length === 0) return null
  // The axis spans at least 10 ms, or a count of 2.
  const { top, ticks } = axisTo(Math.max(...samples, plotted === undefined ? 10 : 2), 2)
  const x = (index: number) => ((index + 0.5 + places - slots.length) / places) * width
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
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={plotted ?? 'Run duration'}
      >
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
          {plotted === undefined ? formatDuration(tick) : String(tick)}
        </span>
      ))}
    </div>
  )
}
