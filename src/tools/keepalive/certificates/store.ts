import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { NamedEntry } from '../../../platform/news.ts'
import { days, type Instant } from '../../../shared/time.ts'
import { Active } from '../../../shared/user.ts'
import { keepaliveNames } from '../terms.ts'

/** Until when a certificate is valid, epoch milliseconds, and the whole days until then; fewer than none once it has ended. */
export type Certificate = { validTo: Instant; days: number }
type Row = { valid_to: number; told_to: number | null; told_days: number | null }

export const daysUntil = (validTo: Instant, now: Instant): number => Math.floor((validTo - now) / days(1))

export function certificateStore(db: Pick<Db, 'isOneOf'>, q: Queries) {
  return {
    /** By the entry's id. */
    async load(ids: readonly string[], now: Instant): Promise<Map<string, Certificate>> {
      const rows = await q
        .selectFrom('certificate')
        .select(['entry_id', 'valid_to'])
        .where(sql<boolean>`${db.isOneOf('entry_id', ids)}`)
        .execute()
      return new Map(
        rows.map(({ entry_id, valid_to: validTo }) => [entry_id, { validTo, days: daysUntil(validTo, now) }]),
      )
    },

    /** Notes a certificate; answers what its owner was told before. Keeps others from it until the transaction ends. */
    note: (entryId: string, validTo: Instant): Promise<Row> =>
      q
        .insertInto('certificate')
        .values({ entry_id: entryId, valid_to: validTo, told_to: null, told_days: null })
        .onConflict((conflict) => conflict.column('entry_id').doUpdateSet({ valid_to: validTo }))
        .returning(['valid_to', 'told_to', 'told_days'])
        .executeTakeFirstOrThrow(),

    async noteTold(entryId: string, { validTo, days }: Certificate) {
      await q
        .updateTable('certificate')
        .set({ told_to: validTo, told_days: days })
        .where('entry_id', '=', entryId)
        .execute()
    },

    async forget(entryId: string) {
      await q.deleteFrom('certificate').where('entry_id', '=', entryId).execute()
    },

    /** An entry as news speak of it, and its owner; undefined while one of them is inactive. */
    async named(id: string): Promise<{ ownerId: string; entry: Omit<NamedEntry, 'url'> } | undefined> {
      const row = await q
        .selectFrom('entry')
        .innerJoin('users', 'users.id', 'entry.owner_id')
        .select(['entry.name', 'entry.about', 'entry.owner_id'])
        .where('entry.id', '=', id)
        .where('entry.status', '=', 1)
        .where('users.status', '=', Active)
        .executeTakeFirst()
      if (!row) return undefined
      return { ownerId: row.owner_id, entry: { id, tool: keepaliveNames.id, name: row.name, about: row.about } }
    },
  }
}
