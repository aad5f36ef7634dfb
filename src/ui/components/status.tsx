import { type PointerEvent, type ReactNode, useState } from 'react'
import { type Awake, awakeLabels, glyphs, type State } from '../../shared/status-glyphs.ts'
import { formatTime, withZone } from '../format-time.ts'
import css from './status.module.css'

export const Glyph = ({ state }: { state: State }) => (
  <svg className={css.glyph} data-state={state} viewBox="0 0 12 12" aria-hidden="true">
    <path fillRule="evenodd" d={glyphs[state]} />
  </svg>
)

/** An app's awake state, unless the adjacent text already includes it. */
export const AwakeWord = ({ awake, text }: { awake: Awake | null | undefined; text?: string | undefined }) =>
  awake && !text?.includes(awake) && <> · {awakeLabels[awake]}</>

/** A status: a word with its glyph, and details. Size `s` is for rows, `m` for cards, `l` for use next to a title. */
export function Status(props: {
  state: State
  size: 's' | 'm' | 'l'
  word: ReactNode
  awake?: Awake | null
  children?: ReactNode
}) {
  const { state, size, word, awake, children } = props
  const text = typeof children === 'string' ? children : undefined
  return (
    <span className={css.status} data-state={state} data-size={size}>
      <Glyph state={state} />
      {/* Lists cut off long texts. */}
      <span title={text}>
        <b>{word}</b>
        <AwakeWord awake={awake} text={text} />
        {children && <> · {children}</>}
      </span>
    </span>
  )
}

export type RecentRuns = readonly { timestamp: number; success: boolean }[]

const [barWidth, height, slot] = [3, 16, 4]
const widthOf = (runs: RecentRuns) => runs.length * slot - 1
/** Failures are full height, successes lower. */
const lower = Math.round(height * 0.3)

/** The last runs, the newest on the right. Renders only two shapes and one tooltip, because lists have many. */
export function Bars({ runs }: { runs: RecentRuns }) {
  const [at, setAt] = useState<number>()
  if (runs.length === 0) return null
  const run = at === undefined ? undefined : runs[at]
  const width = widthOf(runs)
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    setAt(runs.length - 1 - Math.floor(((clientX - box.left) / box.width) * runs.length))
  }
  return (
    <span className={css.bars} title={run && describeRun(run)} onPointerMove={point}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={summaryOf(runs)}>
        <path className={css.ok} d={barsOf(runs, true)} />
        <path className={css.bad} d={barsOf(runs, false)} />
      </svg>
    </span>
  )
}

function barsOf(runs: RecentRuns, success: boolean): string {
  const top = success ? lower : 0
  const last = widthOf(runs) - barWidth
  return runs
    .flatMap((run, index) => (run.success === success ? [`M${last - index * slot} ${top}h3V16h-3z`] : []))
    .join('')
}

const describeRun = ({ success, timestamp }: RecentRuns[number]) =>
  withZone(`${success ? 'SUCCESS' : 'FAIL'} · ${formatTime(timestamp)}`, timestamp)

/** How many of these runs failed, in words. */
export function summaryOf(runs: RecentRuns): string {
  const failed = runs.filter(({ success }) => !success).length
  const all = runs.length === 1 ? 'The last run' : `The last ${runs.length} runs`
  if (failed === 0) return `${all} succeeded`
  return failed === runs.length ? `${all} failed` : `${failed} of the last ${runs.length} runs failed`
}
