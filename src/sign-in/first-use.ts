import type { Context } from '../platform/context.ts'
import type { Milliseconds } from '../shared/time.ts'

/** Records a use of `key` and returns whether it is the first. `life` must be no shorter than `key` is valid. */
export async function isFirstUse(
  { db, now }: Pick<Context, 'db' | 'now'>,
  key: string,
  life: Milliseconds,
): Promise<boolean> {
  const at = db.timestamp(now())
  const expires_at = db.timestamp(now() + life)
  const first = await db.q
    .insertInto('verifications')
    .values({ id: key, identifier: key, value: '', expires_at, created_at: at, updated_at: at })
    .onConflict((on) => on.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return first !== undefined
}
