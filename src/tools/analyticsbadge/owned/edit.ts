import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { By } from '../../../platform/http/access/actor.ts'
import { invalid, notFound } from '../../../shared/http-error.ts'
import { dayOf } from '../../../shared/time.ts'
import type { PatchBadgeBody } from '../contract.ts'
import { type BadgeRow, countedViews, insistOnNoOther, lockBadge } from './badge-row.ts'

type Needs = Pick<Context, 'db' | 'audit' | 'now'>

/** Changes what a tag shows, as its owner asks. Throws an HttpError. */
export async function editBadge(
  { db, audit, now }: Needs,
  tx: Queries,
  { user, actor }: By,
  { tag, patch }: { tag: string; patch: PatchBadgeBody },
): Promise<void> {
  const badge = ownedBy(user.id, await lockBadge(db, tx, tag))
  const next = applyPatch(badge, patch)
  const changes = changesOf(badge, next, patch)
  if (changes.length === 0) return
  await tx
    .updateTable('badge')
    .set({ ...next, asked_at: now() })
    .where('tag', '=', tag)
    .execute()
  if (patch.reset) await beginAnew(tx, badge, dayOf(now()))
  await audit(tx, {
    actor,
    action: 'badge.edit',
    target: { id: user.id, name: user.email },
    changes: [{ field: 'tag', from: null, to: tag }, ...changes],
  })
}

/** Gives a tag back to everybody. Its number stays, and is shown; without views it is a new tag again, whatever its base. Throws an HttpError. */
export async function releaseTag(
  { db, audit, now }: Needs,
  tx: Queries,
  { user, actor }: By,
  { tag }: { tag: string },
): Promise<void> {
  const badge = ownedBy(user.id, await lockBadge(db, tx, tag))
  const isNew = badge.camo + badge.other === 0
  const base = countedViews(badge) > 0 ? badge.base : 0
  if (isNew) await tx.deleteFrom('badge').where('tag', '=', tag).execute()
  else
    await tx
      .updateTable('badge')
      .set({ owner_id: null, claimed_at: null, base, hidden: 0, asked_at: now() })
      .where('tag', '=', tag)
      .execute()
  await audit(tx, {
    actor,
    action: 'badge.release',
    target: { id: user.id, name: user.email },
    changes: [{ field: 'tag', from: tag, to: null }],
  })
}

function ownedBy(userId: string, badge: BadgeRow | undefined): BadgeRow {
  if (!badge?.owner_id) throw notFound('Claimed tag')
  insistOnNoOther(badge, userId)
  return badge
}

type State = Pick<BadgeRow, 'base' | 'reset_views' | 'hidden'>

/** The number goes back only by a reset, which begins with the new base, or with nothing. */
function applyPatch(badge: BadgeRow, { base, hidden, reset }: PatchBadgeBody): State {
  if (!reset && base !== undefined && base < badge.base)
    throw invalid('base', "The base can't be lowered, since the number would go back. Reset the badge instead.")
  return {
    base: base ?? (reset ? 0 : badge.base),
    reset_views: reset ? badge.camo + badge.other : badge.reset_views,
    hidden: hidden === undefined ? badge.hidden : Number(hidden),
  }
}

const shownOf = ({ camo, other }: BadgeRow, { base, reset_views }: State) => camo + other + base - reset_views

function changesOf(badge: BadgeRow, next: State, { reset }: PatchBadgeBody) {
  const changes: { field: string; from: string | boolean; to: string | boolean }[] = []
  if (reset) changes.push({ field: 'views', from: String(shownOf(badge, badge)), to: String(shownOf(badge, next)) })
  if (next.base !== badge.base) changes.push({ field: 'base', from: String(badge.base), to: String(next.base) })
  if (next.hidden !== badge.hidden) changes.push({ field: 'hidden', from: badge.hidden === 1, to: next.hidden === 1 })
  return changes
}

/** Forgets the days so far: the first one begins with the views until now. */
async function beginAnew(tx: Queries, { tag, camo, other }: BadgeRow, day: string): Promise<void> {
  await tx.deleteFrom('badge_day').where('tag', '=', tag).execute()
  await tx.insertInto('badge_day').values({ tag, day, camo, other }).execute()
}
