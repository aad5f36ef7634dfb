import { useAgo } from '../clock.ts'
import { formatTime, formatTimeInZone, inZone } from '../format-time.ts'
import { tipped } from '../tip.ts'

type Props = { at: number | null | undefined; never?: string }

/** An instant, with its age and time zone as the tooltip; `never` is shown if there is none. */
export function Moment({ at, never = formatTime(null) }: Props) {
  const age = useAgo(at)
  if (at === null || at === undefined) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={inZone(age, at)}>
      {formatTime(at)}
    </time>
  )
}

/** The age of an instant, with the instant as the tooltip. */
export function Ago({ at }: { at: number }) {
  return <span {...tipped(() => formatTimeInZone(at))}>{useAgo(at)}</span>
}
