import { useSuspenseQuery } from '@tanstack/react-query'
import { forecastQuery } from './calls.ts'
import css from './hours.module.css'
import { PoolHours } from './pool-hours.tsx'

/** The free hours of each host; what stands below waits for them, so that it isn't moved. */
export function HoursAtHome() {
  const { data } = useSuspenseQuery(forecastQuery)
  if (data.length === 0) return null
  return (
    <section className={`${css.pools} ${css.home}`} aria-label="Free hours">
      {data.map((pool) => (
        <PoolHours key={pool.host.id} pool={pool} />
      ))}
    </section>
  )
}
