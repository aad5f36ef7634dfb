import { keepPreviousData, useQuery } from '@tanstack/react-query'
import chart from '../../../ui/components/chart/chart.module.css'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { api } from '../../../ui/data/api.ts'
import type { BadgeStats } from '../contract.ts'
import { badgePath, sources } from '../terms.ts'
import css from './chart.module.css'
import { DaysChart } from './chart.tsx'
import { lastDays, sourceNames, viewsOf } from './days.ts'
import { lookEvery } from './fresh-look.ts'

/** A tag's recent views by source. Looking here isn't counted. */
export function ViewsCard({ tag }: { tag: string }) {
  const { data } = useQuery({
    queryKey: ['badge', tag],
    queryFn: async () => {
      const { data: stats } = await api.get<BadgeStats>(`${badgePath}${tag}/stats`)
      return { ...stats, lastDays: lastDays(stats.days, Date.now()) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: lookEvery,
    meta: { quiet: true },
  })
  return (
    <Card className={`${chart.card} ${css.views}`} aria-label="Views">
      <div className={chart.head}>
        <h2>Views: {tag}</h2>
        {data && data.lastView !== null && (
          <p className={chart.figures}>
            <span>
              <b>{viewsOf(data.views)}</b> in total
            </span>
            <span>
              last <Ago at={data.lastView} />
            </span>
          </p>
        )}
      </div>
      {data && data.days.length > 0 ? (
        <>
          <DaysChart tag={data.tag} days={data.lastDays} />
          <ul className={css.sources} aria-label="Sources">
            {sources.map((source) => (
              <li key={source}>
                <i data-source={source} />
                {sourceNames[source]}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p className={chart.none}>{data ? 'No views in the last 90 days.' : ' '}</p>
      )}
    </Card>
  )
}
