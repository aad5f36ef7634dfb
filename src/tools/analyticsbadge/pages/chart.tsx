import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type PointerEvent, useEffect, useState } from 'react'
import { formatCount } from '../../../shared/count.ts'
import { axisTo } from '../../../ui/components/axis.ts'
import chart from '../../../ui/components/chart.module.css'
import { Ago } from '../../../ui/components/moment.tsx'
import { Card } from '../../../ui/components/page.tsx'
import { type Source, sources } from '../terms.ts'
import { statsQuery } from './calls.ts'
import css from './chart.module.css'
import { type Day, formatDayMonth, formatViews, sourceNames } from './figures.ts'

/** A tag's recent views by source, read without counting. Refetches when `currentViews` differs or `revision` changes. */
export function ViewsCard({
  tag,
  currentViews,
  revision,
}: {
  tag: string
  currentViews: number | undefined
  revision: number
}) {
  const { data, refetch } = useQuery({ ...statsQuery(tag), placeholderData: keepPreviousData })
  const isOutdated = data?.tag === tag && currentViews !== undefined && currentViews !== data.views
  // biome-ignore lint/correctness/useExhaustiveDependencies: each number and each revision is a reason of its own
  useEffect(() => {
    if (isOutdated || revision > 0) void refetch()
  }, [isOutdated, currentViews, revision, refetch])
  return (
    <Card className={`${chart.card} ${css.views}`} aria-label="Views">
      <div className={chart.head}>
        <h2>Views: {tag}</h2>
        {data && data.lastView !== null && (
          <p className={chart.figures}>
            <span>
              <b>{formatViews(data.views)}</b> in total
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

const width = 900
const height = 150
const gap = 2

function DaysChart({ tag, days }: { tag: string; days: readonly Day[] }) {
  const [at, setAt] = useState<number>()
  const pointed = at === undefined ? undefined : days[at]
  const { top, ticks } = axisTo(Math.max(4, ...days.map(({ views }) => views)), 3)
  const slot = width / days.length
  const heightOf = (views: number) => (views / top) * (height - 8)
  const below = (day: Day, source: Source) =>
    sources.slice(0, sources.indexOf(source)).reduce((total, lower) => total + day[lower], 0)
  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * days.length)
    setAt(Math.min(days.length - 1, Math.max(0, place)))
  }
  return (
    <figure className={chart.chart}>
      <div className={chart.plot} onPointerMove={follow} onPointerLeave={() => setAt(undefined)}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describeChart(tag, days)}
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              className={chart.grid}
              x1={0}
              x2={width}
              y1={height - heightOf(tick)}
              y2={height - heightOf(tick)}
            />
          ))}
          {at !== undefined && <rect className={css.at} x={at * slot} width={slot} y={0} height={height} />}
          {sources.map((source) => (
            <g key={source} className={css[source]}>
              {days.map((day, index) => (
                <rect
                  key={day.day}
                  x={index * slot + gap / 2}
                  width={slot - gap}
                  y={height - heightOf(below(day, source) + day[source])}
                  height={heightOf(day[source])}
                />
              ))}
            </g>
          ))}
          <line className={css.floor} x1={0} x2={width} y1={height} y2={height} />
        </svg>
        {ticks.map((tick) => (
          <span
            key={tick}
            className={chart.tick}
            style={{ top: `${(1 - heightOf(tick) / height) * 100}%` }}
            aria-hidden="true"
          >
            {formatCount(tick)}
          </span>
        ))}
      </div>
      <figcaption className={chart.legend}>
        <span>{formatDayMonth(days[0]?.day ?? '')}</span>
        <span aria-live="off">{pointed ? describe(pointed) : 'Last 90 days (UTC)'}</span>
        <span>today</span>
      </figcaption>
    </figure>
  )
}

const describe = ({ day, views, camo, other }: Day) =>
  views === 0
    ? `${formatDayMonth(day)} · no views`
    : `${formatDayMonth(day)} · ${formatViews(views)}: ${camo} via GitHub, ${other} other`

function describeChart(tag: string, days: readonly Day[]): string {
  const sum = (source: Source) => days.reduce((total, day) => total + day[source], 0)
  return `Views of ${tag} in the last 90 days: ${sources.map((one) => `${sourceNames[one]} ${sum(one)}`).join(', ')}`
}
