import { groupCommit } from '../../../platform/db/group-commit.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Watch } from '../../../platform/health.ts'
import type { Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import { noteAsked } from '../forgotten.ts'
import { statsOf, viewsToday } from '../stats.ts'
import type { Source } from '../terms.ts'
import { type Ledger, shownViews, type View, type Views } from './ledger.ts'
import type { NewTagLimits } from './new-tags.ts'
import { type JournalOptions, viewJournal } from './view-journal.ts'
import { viewRows } from './view-rows.ts'
import { viewWriter } from './write-views.ts'

/** A counted view, or one that wasn't counted because there were too many new tags within an hour. */
export type Counted = Views | 'too many new tags'

/** More views than ever wait at once. */
const most = 10_000

type Settings = NewTagLimits & { now: () => Instant; watch?: Watch; journal?: JournalOptions }

/** Where views are added. A database of this server alone gets a journal, and its totals are known without asking. */
export const viewLedger = (db: Db, journal?: JournalOptions): Ledger =>
  db.isShared ? viewRows(db) : viewJournal(db, journal)

/** Counts views. Each gets its own number once that is on disk. */
export function viewCounter(db: Db, { now, watch, journal, ...limits }: Settings) {
  const ledger = viewLedger(db, journal)
  const { write, change } = viewWriter(db, ledger, limits)
  const views = groupCommit<View, Counted>(db, { most, write: writeViews, watch })

  async function writeViews(group: readonly View[]): Promise<Counted[]> {
    const lastView = now()
    const numbers = await write(group, lastView)
    return numbers.map((views, index) =>
      views === undefined ? 'too many new tags' : { views, lastView, hidden: ledger.isHidden(group[index]!.tag) },
    )
  }

  /** Whoever looks gets an answer even if this can't be written: the next one who asks is noted. */
  const note = (tag: string) => noteAsked(db, tag, now()).catch(() => {})

  return {
    /** Counts one view; resolves once it is on disk, rejects if the database fails. */
    count: (tag: string, source: Source, address?: () => string): Promise<Counted> =>
      views.add({ tag, source, address }),
    /** What the tag shows; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const known = ledger.known(tag)
      if (known) return { ...known, hidden: ledger.isHidden(tag) }
      await ledger.checkpoint()
      const row = await db.q
        .selectFrom('badge')
        .select(['last_view', 'hidden', shownViews.as('shown')])
        .where('tag', '=', tag)
        .executeTakeFirst()
      if (row) await note(tag)
      return row && { views: row.shown, lastView: row.last_view || undefined, hidden: row.hidden === 1 }
    },
    /** Changes what a tag shows, or whose it is, in a transaction; `work` finds all views in the tables that were answered before. */
    change<T>(tag: string, work: (tx: Queries) => Promise<T>): Promise<T> {
      return change(tag, work)
    },
    /** A tag's views in total and by day. */
    async stats(tag: string): Promise<BadgeStats> {
      await ledger.checkpoint()
      await note(tag)
      return statsOf(db, tag, now())
    },
    /** What these tags show, by tag. */
    async figures(tags: readonly string[]): Promise<Map<string, number>> {
      await ledger.checkpoint()
      const rows = await db.q
        .selectFrom('badge')
        .select(['tag', shownViews.as('shown')])
        .where(db.isOneOf('tag', tags))
        .execute()
      return new Map(rows.map(({ tag, shown }) => [tag, shown]))
    },
    /** The views of all tags today. */
    async today(): Promise<number> {
      await ledger.checkpoint()
      return viewsToday(db, now())
    },
    /** Resolves when all views answered before are in the tables. */
    checkpoint: (): Promise<void> => ledger.checkpoint(),
    /** Resolves when nothing is being written. */
    async drained(): Promise<void> {
      await views.drained()
      // What is left in the journal is on disk, and the next process adds it.
      await ledger.checkpoint().catch(() => {})
    },
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>
