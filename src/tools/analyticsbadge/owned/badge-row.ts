import { lockRows } from '../../../platform/db/locks.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { HttpError } from '../../../shared/http-error.ts'

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

/** Views that were counted since the last reset: what a badge shows beyond its base. */
export const countedViews = ({ camo, other, reset_views }: BadgeRow): number => camo + other - reset_views

/** Throws a 403 if the tag belongs to somebody other than this user, or than nobody. */
export function insistOnNoOther({ owner_id }: BadgeRow, userId?: string): void {
  if (owner_id !== null && owner_id !== userId) throw new HttpError(403, 'Somebody else has claimed this tag.')
}
