import { scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { type PointerEvent, useState } from 'react'
import chart from '../../../ui/components/chart.module.css'
import { type Source, sources } from '../terms.ts'
import css from './chart.module.css'
import { type Day, dayName, sourceNames, viewsOf } from './days.ts'

const width = 900
const height = 150
const gap = 2

/** A bar for each day, oldest on the left, stacked by source. */
export function DaysChart({ tag, days }: { tag: string; days: readonly Day[] }) {
  const [at, setAt] = useState<number>()
  const pointed = at === undefined ? undefined : days[at]
  const x = scaleLinear([0, days.length], [0, width])
  const y = scaleLinear([0, Math.max(4, ...days.map(({ views }) => views))], [height, 8]).nice(3)
  const ticks = y.ticks(3).filter((tick) => tick > 0 && Number.isInteger(tick))
  const layers = stack<Day, Source>().keys(sources)([...days])
  const follow = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setAt(
      Math.min(days.length - 1, Math.max(0, Math.floor(x.invert(((event.clientX - box.left) / box.width) * width)))),
    )
  }
  return (
    <figure className={chart.chart}>
      <div className={chart.plot} onPointerMove={follow} onPointerLeave={() => setAt(undefined)}>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={inWords(tag, days)}>
          {ticks.map((tick) => (
            <line key={tick} className={chart.grid} x1={0} x2={width} y1={y(tick)} y2={y(tick)} />
          ))}
          {at !== undefined && <rect className={css.at} x={x(at)} width={x(1)} y={0} height={height} />}
          {layers.map((layer) => (
            <g key={layer.key} className={css[layer.key]}>
              {layer.map(([from, to], index) => (
                <rect
                  key={days[index]?.day}
                  x={x(index) + gap / 2}
                  width={x(1) - gap}
                  y={y(to)}
                  height={y(from) - y(to)}
                />
              ))}
            </g>
          ))}
          <line className={css.floor} x1={0} x2={width} y1={height} y2={height} />
        </svg>
        {ticks.map((tick) => (
          <span key={tick} className={chart.tick} style={{ top: `${(y(tick) / height) * 100}%` }} aria-hidden="true">
            {tick.toLocaleString('en')}
          </span>
        ))}
      </div>
      <figcaption className={chart.legend}>
        <span>{dayName(days[0]?.day ?? '')}</span>
        <span aria-live="off">{pointed ? describe(pointed) : 'Last 90 days (UTC)'}</span>
        <span>today</span>
      </figcaption>
    </figure>
  )
}

const describe = ({ day, views, camo, other }: Day) =>
  views === 0 ? `${dayName(day)} · no views` : `${dayName(day)} · ${viewsOf(views)}: ${camo} via GitHub, ${other} other`

function inWords(tag: string, days: readonly Day[]): string {
  const sum = (source: Source) => days.reduce((total, day) => total + day[source], 0)
  return `Views of ${tag} in the last 90 days: ${sources.map((one) => `${sourceNames[one]} ${sum(one)}`).join(', ')}`
}
