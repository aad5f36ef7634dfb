import { useAgo } from '../clock.ts'
import { formatTime } from '../format-time.ts'

type Props = { at: number | null | undefined; never?: string }

/** An instant with how long ago it was as its tooltip; `never` stands for one that never was. */
export function Moment({ at, never = formatTime(null) }: Props) {
  const age = useAgo(at)
  if (at === null || at === undefined) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={age}>
      {formatTime(at)}
    </time>
  )
}

/** How long ago an instant was, with the instant as its tooltip. */
export function Ago({ at }: { at: number }) {
  return <span title={formatTime(at)}>{useAgo(at)}</span>
}
