import type { Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'

export type View = { tag: string; source: Source }
export type BySource = Record<Source, number>
/** How often a tag has been seen since its first view, and when the last time. */
export type Total = BySource & { tag: string; last_view: Instant }
/** How often each tag was seen. */
export type Seen = ReadonlyMap<string, Readonly<BySource>>
/** Which view of its tag each is; undefined for one that was not counted. */
export type Numbers = (number | undefined)[]
/** How often a tag was viewed, and when the last time; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined }

/** Where views are added to their tags; each database has its own way. Groups come one after the other. */
export type Ledger = {
  /** Adds views of tags that were learned since the last `forget`; durable when it answers. */
  add(views: readonly View[], at: Instant): Promise<Numbers>
  /** Adds views of any tags as part of a transaction; answers the totals of these and maybe more. */
  addOn(tx: Queries, views: readonly View[], at: Instant): Promise<readonly Total[]>
  /** Takes in totals that are on disk. */
  learn(totals: readonly Total[]): void
  forget(): void
  /** What is known of a tag without asking the database; undefined for nothing. */
  known(tag: string): Views | undefined
  /** Resolves when every view that was answered before is in the tables. Rejects when the database failed. */
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

/** Everybody in a group has their own number, up to the tag's total with the group in it. */
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
