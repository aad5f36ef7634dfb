import { sql } from 'kysely'
import type { Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'

/** A view of a tag; `address` tells where it came from. */
export type View = { tag: string; source: Source; address?: (() => string) | undefined }
type BySource = Record<Source, number>
/** The number that a tag shows, and whether its picture keeps it to itself. */
export type Shown = { tag: string; shown: number; hidden: number }
/** A tag's views so far, the time of the last, and what it shows. */
export type Total = BySource & Shown & { last_view: Instant }
/** How often each tag was viewed. */
export type Seen = ReadonlyMap<string, Readonly<BySource>>
/** The number of each view of its tag; undefined for one that was not counted. */
export type Numbers = (number | undefined)[]
/** What a tag shows, and the time of its last view; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined; hidden?: boolean }

/** What a row of `badge` shows: its views since the last reset, and its base. */
export const shownViews = sql<number>`badge.camo + badge.other + badge.base - badge.reset_views`

/** Adds views to their tags; each database has its own way. Groups come one after the other. */
export type Ledger = {
  /** Adds views of tags learned since the last `forget`; resolves once they are on disk. */
  add(views: readonly View[], at: Instant): Promise<Numbers>
  /** Adds views of any tags in a transaction; answers the totals of at least these. */
  addOn(tx: Queries, views: readonly View[], at: Instant): Promise<readonly Total[]>
  /** Learns totals that are on disk. */
  learn(totals: readonly Total[]): void
  /** Learns what an owner has changed, while no group is being added. */
  relearn(total: Total): void
  forget(): void
  /** What a tag shows, if it is known without asking the database. */
  known(tag: string): Views | undefined
  /** Whether a tag that was learned or added keeps its number to itself. */
  isHidden(tag: string): boolean
  /** Adds all views answered before to the tables, in this transaction. */
  flush(tx: Queries): Promise<void>
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

/** Numbers the views of a group, each tag up to what it shows now. */
export function numbersOf(views: readonly View[], seen: Seen, totals: readonly Shown[]): Numbers {
  const next = new Map<string, number>()
  for (const { tag, shown } of totals) {
    const now = seen.get(tag)
    if (now) next.set(tag, shown - now.camo - now.other + 1)
  }
  return views.map(({ tag }) => {
    const number = next.get(tag)
    if (number !== undefined) next.set(tag, number + 1)
    return number
  })
}

/** Remembers which tags keep their number to themselves. They are few, so the others cost next to nothing. */
export function hiddenTags() {
  const tags = new Set<string>()
  return {
    note(shown: readonly Shown[]) {
      for (const { tag, hidden } of shown)
        if (hidden) tags.add(tag)
        else if (tags.size > 0) tags.delete(tag)
    },
    clear: () => tags.clear(),
    has: (tag: string): boolean => tags.size > 0 && tags.has(tag),
  }
}
