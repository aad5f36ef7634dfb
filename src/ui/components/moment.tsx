import { useAgo } from '../clock.ts'
import { formatTime } from '../format-time.ts'

type Props = { at: number | null | undefined; never?: string }

/** An instant, with its age as the tooltip; `never` is shown if there is none. */
export function Moment({ at, never = formatTime(null) }: Props) {
  const age = useAgo(at)
  if (at === null || at === undefined) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={age}>
      {formatTime(at)}
    </time>
  )
}

/** The age of an instant, with the instant as the tooltip. */
export function Ago({ at }: { at: number }) {
  return <span title={formatTime(at)}>{useAgo(at)}</span>
}
