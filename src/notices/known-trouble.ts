import * as z from 'zod/mini'
import { lockName } from '../platform/db/locks.ts'
import type { Db, Queries } from '../platform/db/open.ts'

const key = 'server trouble'

/** Trouble that admins were told of, by whichever instance: since when, when one last saw it, and whether they know it is over. */
const KnownTrouble = z.object({ why: z.string(), since: z.int(), seenAt: z.int(), isOver: z.boolean() })
export type KnownTrouble = z.infer<typeof KnownTrouble>

export async function knownTrouble(q: Queries): Promise<KnownTrouble | undefined> {
  const row = await q.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return row && KnownTrouble.parse(JSON.parse(row.value))
}

/** The same, kept from other instances until the transaction ends. */
export async function lockTrouble(db: Db, tx: Queries): Promise<KnownTrouble | undefined> {
  await lockName(db, tx, key)
  return knownTrouble(tx)
}

export async function noteTrouble(tx: Queries, trouble: KnownTrouble): Promise<void> {
  const value = JSON.stringify(trouble)
  await tx
    .insertInto('setting')
    .values({ key, value })
    .onConflict((on) => on.column('key').doUpdateSet({ value }))
    .execute()
}
