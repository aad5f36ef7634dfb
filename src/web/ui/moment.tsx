import { ago, stamp } from '../stamp.ts'

/** An instant with how long ago it was as its tooltip; a dash for one that never was. */
export function Moment({ at }: { at: number | null | undefined }) {
  if (at === null || at === undefined) return stamp(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={ago(at)}>
      {stamp(at)}
    </time>
  )
}
