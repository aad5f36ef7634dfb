import type { Context } from '../../../platform/context.ts'
import { lockRows } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { By } from '../../../platform/http/access/actor.ts'
import { formatCount } from '../../../shared/count.ts'
import { HttpError, invalid, taken } from '../../../shared/http-error.ts'
import { can } from '../../../shared/user.ts'
import type { View } from '../counting/ledger.ts'
import { type NewTagLimits, tooMany } from '../counting/new-tags.ts'
import { demoTag } from '../terms.ts'
import { type BadgeRow, countedViews, insistOnNoOther, lockBadge } from './badge-row.ts'

/** Claimed tags of a user; more could only be squatting. */
export const mostClaimed = 1_000

/** Claims a tag for whoever asks, or for the user with this email; answers the id of its owner. Throws an HttpError. */
export async function claimTag(
  { db, audit, now, limits }: Pick<Context, 'db' | 'audit' | 'now'> & { limits: NewTagLimits },
  tx: Queries,
  { user, actor }: By,
  { tag, owner }: { tag: string; owner?: string | undefined },
): Promise<string> {
  const email = (owner ?? user.email).trim().toLowerCase()
  // An admin who names an owner, even themselves, means it.
  const assigns = owner !== undefined && can(user, 'Admin', 2)
  if (email !== user.email && !assigns) throw new HttpError(403, 'Only admins can claim a tag for somebody else.')
  if (tag === demoTag) throw new HttpError(403, "The demo tag can't be claimed.")
  // Their email may be another's by now.
  const target = await lockUser(tx, db, email === user.email ? { id: user.id } : { email })
  const at = now()
  // Whoever claims, releases and claims again stores as much as a stranger who views.
  const view: View = { tag, source: 'other', address: () => actor.address ?? '' }
  if ((await tooMany(db, tx, { asked: new Map([[tag, view]]), at, limits })).length > 0)
    throw new HttpError(429, 'Too many new tags. Try again in an hour.', { retryAfter: 3_600 })
  await tx
    .insertInto('badge')
    .values({ tag, last_view: 0, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const badge = (await lockBadge(db, tx, tag))!
  if (badge.owner_id === target.id) return target.id
  if (!assigns) insistOnFree(badge)
  await insistOnRoom(tx, target.id)
  await tx
    .updateTable('badge')
    .set({ owner_id: target.id, claimed_at: at, asked_at: at })
    .where('tag', '=', tag)
    .execute()
  await audit(tx, {
    actor,
    action: 'badge.claim',
    target: { id: target.id, name: target.email },
    changes: [{ field: 'tag', from: null, to: tag }],
  })
  return target.id
}

/** Keeps the future owner from being deleted meanwhile. */
async function lockUser(tx: Queries, db: Context['db'], which: { id: string } | { email: string }) {
  const all = tx.selectFrom('users').select(['id', 'email'])
  const users = 'id' in which ? all.where('id', '=', which.id) : all.where('email', '=', which.email)
  const found = await lockRows(db, users, 'key share').executeTakeFirst()
  if (!found) throw invalid('owner', 'Nobody has this email.')
  return found
}

/** A base that a former owner left behind keeps nobody away: it can be reset. */
function insistOnFree(badge: BadgeRow) {
  insistOnNoOther(badge)
  if (countedViews(badge) > 0)
    throw new HttpError(403, 'This tag already has views. Choose another one, or ask an admin to assign it to you.')
}

async function insistOnRoom(tx: Queries, ownerId: string) {
  const { count } = await tx
    .selectFrom('badge')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= mostClaimed)
    throw taken('tag', `You've reached the limit of ${formatCount(mostClaimed)} claimed tags.`)
}
