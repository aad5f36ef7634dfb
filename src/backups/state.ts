import * as z from 'zod/mini'
import { lockName } from '../platform/db/locks.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import type { Instant } from '../shared/time.ts'

/** The setting that holds the state. */
export const stateKey = 'backups'

/** What all instances know of backups. */
const State = z.object({
  /** The last good one, and when it was made. */
  last: z.optional(z.object({ name: z.string(), at: z.int() })),
  /** The last try, if it failed. */
  failed: z.optional(z.object({ at: z.int(), why: z.string() })),
  /** Whether admins know that there is trouble. */
  isTold: z.optional(z.boolean()),
  /** Who is making one, and until when they count as doing so. */
  claim: z.optional(z.object({ by: z.string(), until: z.int() })),
})
export type State = z.infer<typeof State>

export async function readState(q: Queries): Promise<State> {
  const row = await q.selectFrom('setting').select('value').where('key', '=', stateKey).executeTakeFirst()
  return row ? State.parse(JSON.parse(row.value)) : {}
}

/** The same, kept from others until the transaction ends. */
export async function lockState(db: Db, tx: Queries): Promise<State> {
  await lockName(db, tx, stateKey)
  return readState(tx)
}

export async function writeState(tx: Queries, state: State): Promise<void> {
  const value = JSON.stringify(state)
  await tx
    .insertInto('setting')
    .values({ key: stateKey, value })
    .onConflict((on) => on.column('key').doUpdateSet({ value }))
    .execute()
}

/** When the last good backup was made, for whoever watches its age; undefined before the first. */
export const lastBackupAt = async (q: Queries): Promise<Instant | undefined> => (await readState(q)).last?.at
