import { ago, stamp } from '../../../web/stamp.ts'

/** An instant in full, how long ago as its tooltip; `never` stands for one that has not come. */
export function When({ at, never }: { at: number | null; never: string }) {
  if (at === null) return never
  return (
    <time dateTime={new Date(at).toISOString()} title={ago(at)}>
      {stamp(at)}
    </time>
  )
}
