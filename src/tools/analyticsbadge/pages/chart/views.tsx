import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import chart from '../../../../ui/components/chart/chart.module.css'
import { Ago } from '../../../../ui/components/moment.tsx'
import { Card } from '../../../../ui/components/page/page.tsx'
import { sources } from '../../terms.ts'
import { statsQuery } from '../calls.ts'
import css from './chart.module.css'
import { DaysChart } from './chart.tsx'
import { sourceNames, viewsOf } from './days.ts'

/** A tag's recent views by source. Looking here isn't counted. It looks again when the tag shows another number, or when `look` changes. */
export function ViewsCard({ tag, shown, look }: { tag: string; shown: number | undefined; look: number }) {
  const { data, refetch } = useQuery({ ...statsQuery(tag), placeholderData: keepPreviousData })
  const isOutdated = data?.tag === tag && shown !== undefined && shown !== data.views
  // biome-ignore lint/correctness/useExhaustiveDependencies: each number and each look is a reason of its own
  useEffect(() => {
    if (isOutdated || look > 0) void refetch()
  }, [isOutdated, shown, look, refetch])
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
