import { TriangleAlert } from 'lucide-react'
import { formatCount } from '../../../../shared/count.ts'
import { formatDay } from '../../../../ui/format-time.ts'
import type { Pool } from '../../contract.ts'
import css from './hours.module.css'

const round = (hours: number) => formatCount(Math.round(hours))

/** How much of a host's free hours this month takes, in words and as a bar; until that is known, it keeps their room. */
export function PoolHours({ pool }: { pool: Pool | null | undefined }) {
  if (!pool)
    return (
      <span className={css.pool}>
        <span>Counting this month's hours…</span>
        <svg className={css.bar} aria-hidden="true" />
        <Legend over={false} />
      </span>
    )
  const { host, hours, budget, over, runsOutAt } = pool
  return (
    <span className={css.pool} title="The calendar month in UTC, by the intervals and quiet hours as they are now.">
      <span className={css.words}>
        {over && <TriangleAlert size={14} aria-hidden="true" />}
        <span>
          {over && <span className="sr">Warning: </span>}
          {host.name}: about{' '}
          <b>
            {round(hours)} of {round(budget.hours)} hours
          </b>{' '}
          this month.
          {runsOutAt !== null &&
            ` At this rate, they last until around ${formatDay(runsOutAt)}; then the apps stop until the next month.`}
        </span>
      </span>
      <Bar pool={pool} />
      <Legend over={over} />
    </span>
  )
}

/** What the bar shows; the words above say the same in numbers. */
const Legend = ({ over }: Pick<Pool, 'over'>) => (
  <span className={css.legend} aria-hidden="true">
    <i className={over ? css.overUsed : css.used} />
    Used so far
    <i className={over ? css.over : css.hours} />
    Expected
    <i className={css.budget} />
    Free hours
  </span>
)

/** Used and forecast in two tones, with the budget as a tick. */
function Bar({ pool: { hours, used, budget, over } }: { pool: Pool }) {
  const whole = Math.max(hours, budget.hours)
  const at = (share: number) => (share / whole) * 100
  return (
    <svg className={css.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect className={css.whole} width={100} height={6} />
      <rect className={over ? css.over : css.hours} width={at(hours)} height={6} />
      <rect className={over ? css.overUsed : css.used} width={at(used)} height={6} />
      <path className={css.budget} d={`M${at(budget.hours)} 0V6`} />
    </svg>
  )
}
