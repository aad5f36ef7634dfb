import { type PointerEvent, useState } from 'react'
import { formatTime, inZone } from '../../../ui/format-time.ts'
import type { Run } from '../../contract.ts'
import css from './recent-bars.module.css'

type Recent = readonly Pick<Run, 'timestamp' | 'success'>[]

const most = 30
const [barWidth, height, slot] = [3, 16, 4]
const width = most * slot - 1
/** Failures are full height, successes lower. */
const lower = Math.round(height * 0.3)

/** The last runs as bars, the newest on the right. Two shapes and one tooltip, since a list has many of them. */
export function RecentBars({ recent }: { recent: Recent }) {
  const [at, setAt] = useState<number>()
  if (recent.length === 0) return null
  const run = at === undefined ? undefined : recent[at]
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    setAt(most - 1 - Math.floor(((clientX - box.left) / box.width) * most))
  }
  return (
    <span className={css.bars} title={run && wordsOf(run)} onPointerMove={point}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={summaryOf(recent)}>
        <path className={css.ok} d={barsOf(recent, true)} />
        <path className={css.bad} d={barsOf(recent, false)} />
      </svg>
    </span>
  )
}

function barsOf(recent: Recent, success: boolean): string {
  const top = success ? lower : 0
  return recent
    .flatMap((run, index) => (run.success === success ? [`M${width - barWidth - index * slot} ${top}h3V16h-3z`] : []))
    .join('')
}

const wordsOf = ({ success, timestamp }: Recent[number]) =>
  inZone(`${success ? 'SUCCESS' : 'FAIL'} · ${formatTime(timestamp)}`, timestamp)

/** How many of these runs failed. */
export function summaryOf(recent: Recent): string {
  const failed = recent.filter(({ success }) => !success).length
  const runs = recent.length === 1 ? 'The last run' : `The last ${recent.length} runs`
  if (failed === 0) return `${runs} succeeded`
  return failed === recent.length ? `${runs} failed` : `${failed} of the last ${recent.length} runs failed`
}
