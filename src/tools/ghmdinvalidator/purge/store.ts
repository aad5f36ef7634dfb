import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { pageOf } from '../../../entries/runs/record.ts'
import type { Context } from '../../../platform/context.ts'
import { lockRows } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/delete-in-batches.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { LiveEvent } from '../../../platform/live/events.ts'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { countDead } from './dead.ts'
import { copiesOf, keepCopies } from './kept-copies.ts'
import { columns, type Last, recordOf } from './last-images.ts'

/** An image purged more recently is not purged again, by any entry. */
const freshFor: Milliseconds = minutes(10)

const hashOf = (camo: string) => createHash('sha256').update(camo).digest('hex')

/** What was purged recently, and what the last run of each entry found on its page. */
export function purgeStore({ db, notify, config }: Pick<Context, 'db' | 'notify' | 'config'>) {
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

    /** Replaces what the previous run found, and tells of dead images; does nothing if the entry is gone, or about another page by now. Answers what to publish. */
    async keepLast(entryId: string, { at, url, movedTo, images, isCompared }: Last): Promise<readonly LiveEvent[]> {
      const copies = copiesOf(images)
      const records = images.map((image, position) => recordOf(image, position, { copies, config }))
      return transact(db, async (tx) => {
        const entry = tx
          .selectFrom('entry')
          .select(['id', 'name', 'about', 'owner_id', 'settings'])
          .where('id', '=', entryId)
        // Two runs of one entry at once write one after the other.
        const [found] = await lockRows(db, entry, 'no key update').execute()
        if (!found || JSON.parse(found.settings).url !== url) return []
        await forgetLast(tx, entryId)
        await tx.insertInto('purge_page').values({ entry_id: entryId, at, moved_to: movedTo }).execute()
        if (records.length > 0)
          await sql`insert into purge_image (entry_id, position, origin, outcome, note, digest, state, cause, github, source)
            select ${entryId}, position, origin, outcome, note, digest, state, cause, github, source
            from ${rows('image', columns, records)} where true`.execute(tx)
        await keepCopies(db, tx, entryId, copies)
        if (!isCompared) return []
        const { owner_id: ownerId, settings: _, ...named } = found
        const { id: tool } = ghmdinvalidatorNames
        const notices = await countDead(db, tx, {
          entry: { ...named, tool, url: pageOf(config, tool, entryId) },
          ownerId,
          images,
          at,
        })
        return notices.length > 0 ? notify(tx, notices) : []
      })
    },
  }
}

async function forgetLast(tx: Queries, entryId: string): Promise<void> {
  await tx.deleteFrom('purge_image').where('entry_id', '=', entryId).execute()
  await tx.deleteFrom('purge_page').where('entry_id', '=', entryId).execute()
}

/** Forgets all that runs found, since the entry is about another page now. */
export async function forgetPage(tx: Queries, entryId: string): Promise<void> {
  await forgetLast(tx, entryId)
  await tx.deleteFrom('image_copy').where('entry_id', '=', entryId).execute()
  await tx.deleteFrom('dead_image').where('entry_id', '=', entryId).execute()
}
