import { useQuery } from '@tanstack/react-query'
import { forecastQuery } from './calls.ts'
import css from './hours.module.css'
import { PoolHours } from './pool-hours.tsx'

/** The free hours of each host, below the list. */
export function HoursOfList() {
  const { data = [] } = useQuery(forecastQuery)
  if (data.length === 0) return null
  return (
    <section className={`${css.pools} ${css.list}`} aria-label="Free hours">
      {data.map((pool) => (
        <PoolHours key={pool.host.id} pool={pool} />
      ))}
    </section>
  )
}
