import { memo, useDeferredValue } from 'react'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { RunPill } from '../../../ui/components/pill.tsx'
import { formatDuration, formatTime, formatZone } from '../../../ui/format-time.ts'
import { lazyTooltip } from '../../../ui/tip.ts'
import type { Run } from '../../contract.ts'
import type { EntryScreens } from '../tool-pages.ts'
import css from './history.module.css'

/** More lines than are visible without scrolling. */
const firstLines = 15

type Counted = EntryScreens['counted']

/** Memoized because there are hundreds. */
export const RunHistory = memo(function RunHistory({
  history,
  counted,
}: {
  history: readonly Run[]
  counted: Counted
}) {
  // The rest renders after the screen is shown, in pieces that don't delay taps.
  const lines = useDeferredValue(history, history.slice(0, firstLines))
  return (
    <Card className={css.card} aria-label="Run History">
      <h2>Run History</h2>
      {history.length === 0 && <p>No runs yet.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={css.runs} aria-label="Runs" tabIndex={0}>
        {lines.map((run) => (
          <RunLine key={run.timestamp} run={run} counted={counted} />
        ))}
      </ol>
    </Card>
  )
})

function RunLine({ run, counted }: { run: Run; counted: Counted }) {
  return (
    <li>
      <RunPill success={run.success} />
      <time dateTime={new Date(run.timestamp).toISOString()} {...lazyTooltip(() => formatZone(run.timestamp))}>
        {formatTime(run.timestamp)}
      </time>
      <span className={css.ago}>
        <Ago at={run.timestamp} />
      </span>
      <span className={css.more} data-note={run.note === undefined ? undefined : ''}>
        {describeRun(run, counted)}
      </span>
    </li>
  )
}

function describeRun({ status, duration, note }: Run, counted: Counted): string {
  const count = status === undefined ? undefined : counted?.(status)
  // Omit the count if the note contains it.
  const isSaid = count !== undefined && note?.includes(count) === true
  return [isSaid ? undefined : count, note, duration === undefined ? undefined : formatDuration(duration)]
    .filter(Boolean)
    .join(' · ')
}
