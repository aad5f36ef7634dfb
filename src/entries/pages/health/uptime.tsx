import { memo, type PointerEvent, useState } from 'react'
import { formatCount, formatPercent } from '../../../shared/count.ts'
import { dayOf, days as daysLong } from '../../../shared/time.ts'
import chart from '../../../ui/components/chart.module.css'
import { Card } from '../../../ui/components/page.tsx'
import { timeNow } from '../../../ui/time-now.ts'
import type { Stats } from '../../contract.ts'
import css from './uptime.module.css'

declare module 'react' {
  interface CSSProperties {
    /** The part of a bar that is red. */
    '--failed'?: string
  }
}

const names = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' } as const
const periods = Object.keys(names) as (keyof typeof names)[]
const shownDays = 90
/** So that a single failure of many runs is seen. */
const leastFailed = 0.2

type Day = Stats['days'][number]

/** How much of the time an entry's runs succeeded, and a bar for each of the last days. Drawn anew only if they are others. */
export const Uptime = memo(function Uptime({ title, stats }: { title: string; stats: Stats }) {
  if (stats.days.length === 0) return null
  return (
    <Card className={chart.card} aria-label={title}>
      <div className={chart.head}>
        <h2>{title}</h2>
      </div>
      <dl className={css.shares}>
        {periods.map((period) => (
          <div key={period}>
            <dt>{names[period]}</dt>
            <Share share={stats.uptime[period]} />
          </div>
        ))}
      </dl>
      <Days days={stats.days} />
    </Card>
  )
})

/** The share in a period, once runs cover half of it. */
const Share = ({ share }: { share: number | null }) =>
  share === null ? <dd title="Not enough runs in this time yet">–</dd> : <dd data-known>{formatPercent(share)}</dd>

function Days({ days }: { days: readonly Day[] }) {
  const [at, setAt] = useState<string>()
  const byDay = new Map(days.map((day) => [day.day, day]))
  const today = timeNow()
  const last = Array.from({ length: shownDays }, (_, index) => dayOf(today - daysLong(shownDays - 1 - index)))
  const point = ({ target }: PointerEvent) => setAt(target instanceof HTMLElement ? target.dataset.day : undefined)
  return (
    <figure className={chart.chart} onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAt(undefined)}>
      <div className={css.days} role="img" aria-label={summaryOf(last.flatMap((day) => byDay.get(day) ?? []))}>
        {last.map((day) => (
          <Bar key={day} day={day} counts={byDay.get(day)} />
        ))}
      </div>
      <figcaption className={chart.legend}>
        <span className={css.first} />
        <span>{at && wordsOf(at, byDay.get(at))}</span>
        <span>Today</span>
      </figcaption>
    </figure>
  )
}

function Bar({ day, counts }: { day: string; counts: Day | undefined }) {
  const words = wordsOf(day, counts)
  if (!counts) return <i data-day={day} data-empty title={words} />
  const failed = counts.fail / (counts.ok + counts.fail)
  if (failed === 0) return <i data-day={day} title={words} />
  const part = Math.max(leastFailed, failed)
  return <i data-day={day} data-bad style={{ '--failed': `${Math.round(part * 100)}%` }} title={words} />
}

/** `22/11/2026`, of a day as it is stored; days are UTC. */
const written = (day: string) => day.split('-').reverse().join('/')
const runCount = (runs: number) => (runs === 1 ? '1 run' : `${formatCount(runs)} runs`)

function wordsOf(day: string, counts: Day | undefined): string {
  if (!counts) return `${written(day)}: no runs`
  const { ok, fail } = counts
  const all = runCount(ok + fail)
  return `${written(day)}: ${fail === 0 ? all : `${formatCount(fail)} of ${all} failed`}`
}

function summaryOf(days: readonly Day[]): string {
  const bad = days.filter(({ fail }) => fail > 0)
  if (bad.length === 0) return `No failures on ${days.length} of the last ${shownDays} days with runs`
  const latest = bad.slice(-3).map(({ day, ...counts }) => wordsOf(day, { day, ...counts }))
  return `Failures on ${bad.length} of the last ${shownDays} days, most recently ${latest.reverse().join(', ')}`
}
