import type { Source } from './terms.ts'

export type View = { tag: string; source: Source }
export type BySource = Record<Source, number>
/** How often a tag has been seen since its first view. */
export type Total = BySource & { tag: string }
/** How often each tag was seen. */
export type Seen = ReadonlyMap<string, Readonly<BySource>>

export function seenIn(views: readonly View[]): Seen {
  const seen = new Map<string, BySource>()
  for (const { tag, source } of views) {
    const before = seen.get(tag)
    if (before) before[source] += 1
    else seen.set(tag, { camo: 0, other: 0, [source]: 1 })
  }
  return seen
}

export const byTag = (totals: readonly Total[]): Seen => new Map(totals.map((total) => [total.tag, total]))
