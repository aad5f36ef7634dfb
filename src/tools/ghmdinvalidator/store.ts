import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../server/db/open.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { Purged } from './purge.ts'

/** What was purged this lately is not purged again, for whichever entry. */
export const freshFor: Milliseconds = minutes(10)

const hashOf = (camo: string) => createHash('sha256').update(camo).digest('hex')

/** What was purged lately, and what the last run of each entry did with each image. */
export function purgeStore({ q, rows }: Pick<Db, 'q' | 'rows'>) {
  return {
    /** Those of these images that were purged within the last minutes; forgets what is older. */
    async fresh(camos: readonly string[], now: Instant): Promise<Set<string>> {
      await q
        .deleteFrom('purge')
        .where('at', '<=', now - freshFor)
        .execute()
      if (camos.length === 0) return new Set()
      const byHash = new Map(camos.map((camo) => [hashOf(camo), camo]))
      const known = await q
        .selectFrom('purge')
        .select('hash')
        .where('hash', 'in', [...byHash.keys()])
        .execute()
      return new Set(known.flatMap(({ hash }) => byHash.get(hash) ?? []))
    },

    async remember(camo: string, now: Instant) {
      await q
        .insertInto('purge')
        .values({ hash: hashOf(camo), at: now })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ at: now }))
        .execute()
    },

    /** Puts the images of the last run in the place of those before; an entry that is gone keeps none. */
    async keepImages(entryId: string, images: readonly Purged[]) {
      const records = images.map(({ note, ...image }, position) => ({ ...image, position, note: note ?? null }))
      const columns = { position: 'bigint', camo: 'text', origin: 'text', outcome: 'text', note: 'text' } as const
      await q.transaction().execute(async (on) => {
        await on.deleteFrom('purge_image').where('entry_id', '=', entryId).execute()
        if (records.length === 0) return
        await sql`insert into purge_image (entry_id, position, camo, origin, outcome, note)
          select entry.id, position, camo, origin, outcome, note
          from ${rows('image', columns, records)}, entry where entry.id = ${entryId}`.execute(on)
      })
    },

    /** What the last run did with each image, in the order of the page. */
    images: (entryId: string) =>
      q
        .selectFrom('purge_image')
        .select(['camo', 'origin', 'outcome', 'note'])
        .where('entry_id', '=', entryId)
        .orderBy('position')
        .execute(),
  }
}
