import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import { type Left, Memory } from './act.ts'

type State = Left & { foundAsleep: { count: number; lastAt: Instant | null } }

export const neverAsleep: State['foundAsleep'] = { count: 0, lastAt: null }

/** What acts have seen of their apps, by the entry's id. */
export const awakeStore = (db: Pick<Db, 'isOneOf'>, q: Queries) => ({
  async load(ids: readonly string[]): Promise<Map<string, State>> {
    const rows = await q
      .selectFrom('awake')
      .innerJoin('entry', 'entry.id', 'awake.entry_id')
      .select(['entry_id', 'memory', 'found_asleep', 'last_asleep_at', 'entry.awake'])
      .where(sql<boolean>`${db.isOneOf('entry_id', ids)}`)
      .execute()
    return new Map(
      rows.map(({ entry_id, awake, memory, found_asleep: count, last_asleep_at: lastAt }) => [
        entry_id,
        {
          awake,
          memory: Memory.parse(JSON.parse(memory)),
          foundAsleep: { count, lastAt },
        },
      ]),
    )
  },

  /** Stores what a turn leaves; `foundAt` if it found the app asleep. */
  async save(entryId: string, { awake, memory }: Left, foundAt: Instant | undefined) {
    const found = foundAt === undefined ? 0 : 1
    const left = { memory: JSON.stringify(memory) }
    await q
      .insertInto('awake')
      .values({ entry_id: entryId, ...left, found_asleep: found, last_asleep_at: foundAt ?? null })
      .onConflict((conflict) =>
        conflict.column('entry_id').doUpdateSet((eb) => ({
          ...left,
          found_asleep: eb('awake.found_asleep', '+', found),
          ...(foundAt !== undefined && { last_asleep_at: foundAt }),
        })),
      )
      .execute()
    await q.updateTable('entry').set({ awake }).where('id', '=', entryId).execute()
  },

  /** What a plain request has to know. */
  async remember(entryId: string, memory: Memory) {
    const known = { memory: JSON.stringify(memory) }
    await q
      .insertInto('awake')
      .values({ entry_id: entryId, found_asleep: 0, last_asleep_at: null, ...known })
      .onConflict((conflict) => conflict.column('entry_id').doUpdateSet(known))
      .execute()
  },

  async forget(entryId: string) {
    await q.deleteFrom('awake').where('entry_id', '=', entryId).execute()
    await q.updateTable('entry').set({ awake: null }).where('id', '=', entryId).execute()
  },
})
