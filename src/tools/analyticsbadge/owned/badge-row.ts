import { lockRows } from '../../../platform/db/locks.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'

/** A tag's row, which nobody else changes or counts on until the transaction ends. */
export const lockBadge = (db: Db, tx: Queries, tag: string) =>
  lockRows(
    db,
    tx
      .selectFrom('badge')
      .select(['tag', 'camo', 'other', 'base', 'reset_views', 'hidden', 'owner_id'])
      .where('tag', '=', tag),
    'no key update',
  ).executeTakeFirst()
export type BadgeRow = NonNullable<Awaited<ReturnType<typeof lockBadge>>>
