import type * as z from 'zod/mini'
import { lockName } from './locks.ts'
import type { Db, Queries } from './open.ts'

/** JSON that all instances share, stored as the setting `key`; undefined until it is first written. */
export function sharedState<State>(key: string, schema: z.ZodMiniType<State>) {
  async function read(q: Queries): Promise<State | undefined> {
    const row = await q.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
    return row && schema.parse(JSON.parse(row.value))
  }
  return {
    read,
    /** Reads the state and locks it against other instances until the transaction ends. */
    async lock(db: Db, tx: Queries): Promise<State | undefined> {
      await lockName(db, tx, key)
      return read(tx)
    },
    async write(q: Queries, state: State): Promise<void> {
      const value = JSON.stringify(state)
      await q
        .insertInto('setting')
        .values({ key, value })
        .onConflict((on) => on.column('key').doUpdateSet({ value }))
        .execute()
    },
  }
}
