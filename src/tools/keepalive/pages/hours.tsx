import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { formatCount } from '../../../shared/count.ts'
import type { Quiet } from '../../../shared/quiet.ts'
import { Button } from '../../../ui/components/button.tsx'
import { call } from '../../../ui/data/call.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { browserZone, formatDay } from '../../../ui/format-time.ts'
import { timeNow } from '../../../ui/time-now.ts'
import type { AdviceBody, Pool } from '../contract.ts'
import { keepaliveNames } from '../terms.ts'
import css from './hours.module.css'

const { id: topic } = keepaliveNames
const about = { topic, outlastsRuns: true } as const

/** The free hours that the user's entries use this month; none if the call fails. */
const forecastQuery = queryOptions({
  queryKey: ['entries', topic, 'forecast'],
  queryFn: () => call('GET /api/v1/keepalive/forecast', undefined).catch(() => []),
  meta: { quiet: true, about },
})

const poolQuery = (entry: AdviceBody) =>
  queryOptions({
    queryKey: ['entries', topic, 'pool', entry],
    queryFn: async () => (await call('POST /api/v1/keepalive/advice', entry)).pool,
    placeholderData: (before: Pool | null | undefined) => before,
    // Errors of the entry are shown when it is saved.
    meta: { quiet: true, about },
  })

const round = (hours: number) => formatCount(Math.round(hours))

/** Reserves the space while loading. */
function PoolHours({ pool }: { pool: Pool | null | undefined }) {
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
          {runsOutAt !== null && runsOutLabel(runsOutAt)}
        </span>
      </span>
      <Bar pool={pool} />
      <Legend over={over} />
    </span>
  )
}

const runsOutLabel = (at: number) =>
  at > timeNow()
    ? ` At this rate, they last until around ${formatDay(at)}; then the apps stop until the next month.`
    : ' They are used up: the apps stop until the next month.'

/** Hidden from screen readers, because the text above has the same numbers. */
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

function Bar({ pool: { hours, used, budget, over } }: { pool: Pool }) {
  const maxHours = Math.max(hours, budget.hours)
  const at = (share: number) => (share / maxHours) * 100
  return (
    <svg className={css.bar} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect className={css.whole} width={100} height={6} />
      <rect className={over ? css.over : css.hours} width={at(hours)} height={6} />
      <rect className={over ? css.overUsed : css.used} width={at(used)} height={6} />
      <path className={css.budget} d={`M${at(budget.hours)} 0V6`} />
    </svg>
  )
}

/** The free hours of each host, a line each. Suspends with its neighbors, so that these don't move when it loads. */
export function FreeHoursItems() {
  const { data } = useSuspenseQuery(forecastQuery)
  return data.map((pool) => (
    <li key={pool.host.id}>
      <PoolHours pool={pool} />
    </li>
  ))
}

export function FreeHoursSection() {
  const { data = [] } = useQuery(forecastQuery)
  if (data.length === 0) return null
  return (
    <section className={css.pools} aria-label="Free hours">
      {data.map((pool) => (
        <PoolHours key={pool.host.id} pool={pool} />
      ))}
    </section>
  )
}

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const debounceDelay = 400

export function EntryHours({ entry, onQuiet }: { entry: AdviceBody; onQuiet: (quiet: Quiet) => void }) {
  // Debounced as JSON, so that equal objects don't count as changes.
  const debouncedEntry: AdviceBody = JSON.parse(useDebounced(JSON.stringify(entry), debounceDelay))
  const { data, isPending } = useQuery(poolQuery(debouncedEntry))
  if (!data && !isPending) return null
  return (
    <div className={css.entry}>
      <PoolHours pool={data} />
      {data?.quiet && <Offer pool={data} quiet={data.quiet} now={entry.quiet ?? null} onQuiet={onQuiet} />}
    </div>
  )
}

function Offer(props: {
  pool: Pool
  quiet: { from: string; to: string }
  now: Quiet | null
  onQuiet: (quiet: Quiet) => void
}) {
  const { pool, quiet, now, onQuiet } = props
  const [apps, others] = pool.apps === 2 ? ['both apps', 'the other'] : [`all ${pool.apps} apps`, 'the others']
  const isFilledIn = now?.from === quiet.from && now.to === quiet.to
  return (
    <>
      <p>
        They would last with quiet hours from <b>{quiet.from}</b> to <b>{quiet.to}</b> every day, on {apps} there
        {isFilledIn ? `: set them on ${others} as well.` : '.'}
      </p>
      {!isFilledIn && (
        <Button size="small" onClick={() => onQuiet({ zone: browserZone(), days: everyDay, ...quiet })}>
          Fill in these quiet hours
        </Button>
      )}
    </>
  )
}
