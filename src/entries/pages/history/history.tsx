import { memo, useDeferredValue } from 'react'
import chart from '../../../ui/components/chart/chart.module.css'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page/page.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { formatDuration, formatTime, formatZone } from '../../../ui/format-time.ts'
import { tipped } from '../../../ui/tip.ts'
import type { Run, Stats } from '../../contract.ts'
import type { EntryScreens } from '../tool-pages.ts'
import { HistoryChart } from './chart.tsx'
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
      {up !== null && <Figure name={rate.toLowerCase()} text={`${(Math.floor(up * 1_000) / 10).toString()}%`} />}
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
