import type { Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'

/** A view of a tag; `address` tells where it came from. */
export type View = { tag: string; source: Source; address?: (() => string) | undefined }
type BySource = Record<Source, number>
/** A tag's views so far, and the time of the last. */
export type Total = BySource & { tag: string; last_view: Instant }
/** How often each tag was viewed. */
export type Seen = ReadonlyMap<string, Readonly<BySource>>
/** The number of each view of its tag; undefined for one that was not counted. */
export type Numbers = (number | undefined)[]
/** A tag's views, and the time of the last; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined }

/** Adds views to their tags; each database has its own way. Groups come one after the other. */
export type Ledger = {
  /** Adds views of tags learned since the last `forget`; resolves once they are on disk. */
  add(views: readonly View[], at: Instant): Promise<Numbers>
  /** Adds views of any tags in a transaction; answers the totals of at least these. */
  addOn(tx: Queries, views: readonly View[], at: Instant): Promise<readonly Total[]>
  /** Learns totals that are on disk. */
  learn(totals: readonly Total[]): void
  forget(): void
  /** A tag's views, if they are known without asking the database. */
  known(tag: string): Views | undefined
  /** Resolves when all views answered before are in the tables; rejects if the database fails. */
  checkpoint(): Promise<void>
}

export function seenIn(views: readonly View[]): Seen {
  const seen = new Map<string, BySource>()
  for (const { tag, source } of views) {
    const before = seen.get(tag)
    if (before) before[source] += 1
    else seen.set(tag, { camo: 0, other: 0, [source]: 1 })
  }
  return seen
}

/** Numbers the views of a group, each tag up to its new total. */
export function numbersOf(views: readonly View[], seen: Seen, totals: readonly Total[]): Numbers {
  const next = new Map<string, number>()
  for (const { tag, camo, other } of totals) {
    const now = seen.get(tag)
    if (now) next.set(tag, camo + other - now.camo - now.other + 1)
  }
  return views.map(({ tag }) => {
    const number = next.get(tag)
    if (number !== undefined) next.set(tag, number + 1)
    return number
  })
}
