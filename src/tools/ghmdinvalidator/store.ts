import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { lockRows } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/delete-in-batches.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { Purged } from './purge/purge.ts'

/** An image purged more recently is not purged again, by any entry. */
const freshFor: Milliseconds = minutes(10)
/** Only the beginning of a longer URL is stored: it is there to be recognised. */
const keptOfAddress = 1_000

const hashOf = (camo: string) => createHash('sha256').update(camo).digest('hex')

/** At most this many characters of a text, none cut in half. */
export const beginningOf = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text

type Last = { at: Instant; movedTo: string | null; images: readonly Purged[] }

/** What was purged recently, and what the last run of each entry found on its page. */
export function purgeStore(db: Db) {
  const { q, rows } = db

  return {
    async isFresh(camo: string, now: Instant): Promise<boolean> {
      const known = await q.selectFrom('purge').select('at').where('hash', '=', hashOf(camo)).executeTakeFirst()
      // A purge in the future was made before the clock was set back.
      return known !== undefined && known.at > now - freshFor && known.at < now + freshFor
    },

    async remember(camo: string, now: Instant) {
      await q
        .insertInto('purge')
        .values({ hash: hashOf(camo), at: now })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ at: now }))
        .execute()
    },

    /** Deletes what is no longer fresh. */
    async cleanUp(now: Instant) {
      await deleteInBatches(q, 'purge', { key: ['hash'], where: sql`at <= ${now - freshFor}` })
    },

    /** Replaces what the previous run found; does nothing if the entry is gone. */
    async keepLast(entryId: string, { at, movedTo, images }: Last) {
      const records = images.map(({ origin, outcome, note }, position) => ({
        position,
        origin: beginningOf(origin, keptOfAddress),
        outcome,
        note: note ?? null,
      }))
      const columns = { position: 'bigint', origin: 'text', outcome: 'text', note: 'text' } as const
      await q.transaction().execute(async (tx) => {
        const entry = tx.selectFrom('entry').select('id').where('id', '=', entryId)
        // Two runs of one entry at once write one after the other.
        const [found] = await lockRows(db, entry, 'no key update').execute()
        if (!found) return
        await tx.deleteFrom('purge_image').where('entry_id', '=', entryId).execute()
        await tx.deleteFrom('purge_page').where('entry_id', '=', entryId).execute()
        await tx.insertInto('purge_page').values({ entry_id: entryId, at, moved_to: movedTo }).execute()
        if (records.length === 0) return
        await sql`insert into purge_image (entry_id, position, origin, outcome, note)
          select ${entryId}, position, origin, outcome, note from ${rows('image', columns, records)}
          where true`.execute(tx)
      })
    },

    /** What the last run that could read the page found, in the order of the page. */
    async last(entryId: string) {
      const page = await q
        .selectFrom('purge_page')
        .select(['at', 'moved_to as movedTo'])
        .where('entry_id', '=', entryId)
        .executeTakeFirst()
      const images = await q
        .selectFrom('purge_image')
        .select(['origin', 'outcome', 'note'])
        .where('entry_id', '=', entryId)
        .orderBy('position')
        .execute()
      return { at: null, movedTo: null, ...page, images }
    },
  }
}
