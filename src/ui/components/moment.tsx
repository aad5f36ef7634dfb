import { useAgo } from '../clock.ts'
import { formatTime, formatTimeInZone, withZone } from '../format-time.ts'
import { lazyTooltip } from '../tip.ts'

type Props = { at: number | null | undefined; never?: string }

/** An instant, with its age and time zone as the tooltip; `never` is shown if there is none. */
export function Moment({ at, never = formatTime(null) }: Props) {
  const age = useAgo(at)
  if (at === null || at === undefined) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={withZone(age, at)}>
      {formatTime(at)}
    </time>
  )
}

/** The age of an instant, with the instant as the tooltip. */
export function Ago({ at }: { at: number }) {
  return <span {...lazyTooltip(() => formatTimeInZone(at))}>{useAgo(at)}</span>
}
