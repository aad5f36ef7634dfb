import { ago, stamp } from '../stamp.ts'

/** An instant with how long ago it was as its tooltip; `never` stands for one that never was. */
export function Moment({ at, never = stamp(null) }: { at: number | null | undefined; never?: string }) {
  if (at === null || at === undefined) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={ago(at)}>
      {stamp(at)}
    </time>
  )
}
