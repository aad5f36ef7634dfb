import type { Updateable } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { transact } from '../../platform/db/transact.ts'
import { type ActingUser, actingUserOf } from '../../platform/http/access/actor.ts'
import { callerOf, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { formatCount } from '../../shared/count.ts'
import { fieldConflict, HttpError, invalid, notFound } from '../../shared/http-error.ts'
import { dayOf } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import { analyticsbadge, badgeCalls, type PatchBadgeBody } from './contract.ts'
import type { View } from './counting/ledger.ts'
import { limitNewTags, type NewTagLimits } from './counting/new-tags.ts'
import { badgesOf } from './owned-list.ts'
import { demoTag } from './terms.ts'

type Needs = Pick<Context, 'db' | 'audit' | 'now'>

export function ownedRoutes(app: App, context: Needs & { limits: NewTagLimits }): void {
  const { db, now } = context
  const route = routesOf(app, badgeCalls, analyticsbadge.label)

  route(
    'GET /api/v1/user/badges',
    { ...signedIn('read'), summary: 'List the tags you have claimed' },
    async (request) => badgesOf(db.q, callerOf(request).user.id, now()),
  )

  route(
    'POST /api/v1/analyticsbadge/:tag/claim',
    {
      ...signedIn('write'),
      summary: 'Claim a tag',
      failures: [403, 409, 429],
      description: `Any user can claim a tag without views; an admin with full access can assign any tag to a user. A user can have up to ${formatCount(mostClaimed)} tags.`,
    },
    async (request) => {
      const { tag } = request.params
      const [badge] = await transact(db, async (tx) => {
        const ownerId = await claimTag(context, tx, actingUserOf(request), { tag, owner: request.body?.owner })
        return badgesOf(tx, ownerId, now(), tag)
      })
      return badge!
    },
  )

  route(
    'PATCH /api/v1/analyticsbadge/:tag',
    {
      ...signedIn('write'),
      summary: 'Change what your badge shows',
      failures: [403, 404],
      description:
        '`base` is added to the views and can only be lowered together with `reset`. `hidden` removes the number from the image. `reset` starts again from the given base, or from 0.',
    },
    async (request) => {
      const { tag } = request.params
      const by = actingUserOf(request)
      const [badge] = await transact(db, async (tx) => {
        await editBadge(context, tx, by, { tag, patch: request.body })
        return badgesOf(tx, by.user.id, now(), tag)
      })
      return badge!
    },
  )

  route(
    'DELETE /api/v1/analyticsbadge/:tag/claim',
    {
      ...signedIn('write'),
      summary: 'Release a tag that you have claimed',
      failures: [403, 404],
      description: 'A tag with views keeps its number, which is shown again if it was hidden.',
    },
    async (request) => {
      const { tag } = request.params
      await transact(db, (tx) => releaseTag(context, tx, actingUserOf(request), tag))
      return { tag }
    },
  )
}

/** Reads a tag's row and locks it against changes and new views until the transaction ends. */
const lockBadge = (db: Db, tx: Queries, tag: string) =>
  lockRows(
    db,
    tx
      .selectFrom('badge')
      .select(['tag', 'camo', 'other', 'base', 'reset_views', 'hidden', 'owner_id'])
      .where('tag', '=', tag),
    'no key update',
  ).executeTakeFirst()
type BadgeRow = NonNullable<Awaited<ReturnType<typeof lockBadge>>>

const updateBadge = (tx: Queries, tag: string, change: Updateable<Tables['badge']>) =>
  tx.updateTable('badge').set(change).where('tag', '=', tag).execute()

/** Views since the last reset, without the base. */
const countedViews = ({ camo, other, reset_views }: BadgeRow): number => camo + other - reset_views

function requireNoOtherOwner({ owner_id }: BadgeRow, userId?: string): void {
  if (owner_id !== null && owner_id !== userId) throw new HttpError(403, 'Somebody else has claimed this tag.')
}

/** Limit of claimed tags per user, against squatting. */
const mostClaimed = 1_000

/** Claims a tag for the caller, or for the user with this email; returns the id of its owner. Throws an HttpError. */
async function claimTag(
  { db, audit, now, limits }: Needs & { limits: NewTagLimits },
  tx: Queries,
  { user, actor }: ActingUser,
  { tag, owner }: { tag: string; owner?: string | undefined },
): Promise<string> {
  const email = owner ?? user.email
  // An admin who names an owner, even themselves, assigns the tag whether or not it has views.
  const assigns = owner !== undefined && can(user, 'Admin', 2)
  if (email !== user.email && !assigns) throw new HttpError(403, 'Only admins can claim a tag for somebody else.')
  if (tag === demoTag) throw new HttpError(403, "The demo tag can't be claimed.")
  // Look the caller up by id, since their email may belong to another user by now.
  const target = await lockUser(tx, db, email === user.email ? { id: user.id } : { email })
  const at = now()
  // Claims count towards the limit of new tags, since they store as much as an anonymous visitor's views.
  const view: View = { tag, source: 'other', address: () => actor.address ?? '' }
  if ((await limitNewTags(db, tx, { firstViews: new Map([[tag, view]]), at, limits })).length > 0)
    throw new HttpError(429, 'Too many new tags. Try again in an hour.', { retryAfter: 3_600 })
  await tx
    .insertInto('badge')
    .values({ tag, last_view: 0, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const badge = (await lockBadge(db, tx, tag))!
  if (badge.owner_id === target.id) return target.id
  if (!assigns) requireFree(badge)
  await requireBelowLimit(tx, target.id)
  await updateBadge(tx, tag, { owner_id: target.id, claimed_at: at, asked_at: at })
  const changes = [{ field: 'tag', from: null, to: tag }]
  await audit(tx, { actor, action: 'badge.claim', ...auditTarget(target), changes })
  return target.id
}

/** Locks the future owner's row, so that the user can't be deleted before the claim is committed. */
async function lockUser(tx: Queries, db: Context['db'], which: { id: string } | { email: string }) {
  const all = tx.selectFrom('users').select(['id', 'email'])
  const users = 'id' in which ? all.where('id', '=', which.id) : all.where('email', '=', which.email)
  const found = await lockRows(db, users, 'key share').executeTakeFirst()
  if (!found) throw invalid('owner', 'No user has this email.')
  return found
}

/** Throws a 403 if the tag is claimed or has views. A former owner's base doesn't matter, since it can be reset. */
function requireFree(badge: BadgeRow) {
  requireNoOtherOwner(badge)
  if (countedViews(badge) > 0)
    throw new HttpError(403, 'This tag already has views. Choose another one, or ask an admin to assign it to you.')
}

async function requireBelowLimit(tx: Queries, ownerId: string) {
  if ((await countRows(tx.selectFrom('badge').where('owner_id', '=', ownerId))) >= mostClaimed)
    throw fieldConflict('tag', `You've reached the limit of ${formatCount(mostClaimed)} claimed tags.`)
}

const auditTarget = ({ id, email }: { id: string; email: string }) => ({ target: { id, name: email } })

async function editBadge(
  { db, audit, now }: Needs,
  tx: Queries,
  { user, actor }: ActingUser,
  { tag, patch }: { tag: string; patch: PatchBadgeBody },
): Promise<void> {
  const badge = requireOwned(user.id, await lockBadge(db, tx, tag))
  const next = applyPatch(badge, patch)
  const changes = changesOf(badge, next, patch)
  if (changes.length === 0) return
  await updateBadge(tx, tag, { ...next, asked_at: now() })
  if (patch.reset) await resetHistory(tx, badge, dayOf(now()))
  const logged = [{ field: 'tag', from: null, to: tag }, ...changes]
  await audit(tx, { actor, action: 'badge.edit', ...auditTarget(user), changes: logged })
}

/** The number stays and is no longer hidden; a tag without views is deleted, whatever its base. */
async function releaseTag(
  { db, audit, now }: Needs,
  tx: Queries,
  { user, actor }: ActingUser,
  tag: string,
): Promise<void> {
  const badge = requireOwned(user.id, await lockBadge(db, tx, tag))
  const isNew = badge.camo + badge.other === 0
  const base = countedViews(badge) > 0 ? badge.base : 0
  if (isNew) await tx.deleteFrom('badge').where('tag', '=', tag).execute()
  else await updateBadge(tx, tag, { owner_id: null, claimed_at: null, base, hidden: 0, asked_at: now() })
  const changes = [{ field: 'tag', from: tag, to: null }]
  await audit(tx, { actor, action: 'badge.release', ...auditTarget(user), changes })
}

function requireOwned(userId: string, badge: BadgeRow | undefined): BadgeRow {
  if (!badge?.owner_id) throw notFound('Claimed tag')
  requireNoOtherOwner(badge, userId)
  return badge
}

type State = Pick<BadgeRow, 'base' | 'reset_views' | 'hidden'>

/** Only a reset lowers the number; it restarts from the new base, or from 0. */
function applyPatch(badge: BadgeRow, { base, hidden, reset }: PatchBadgeBody): State {
  if (!reset && base !== undefined && base < badge.base)
    throw invalid('base', "The base can't be lowered, since the number would go back. Reset the badge instead.")
  return {
    base: base ?? (reset ? 0 : badge.base),
    reset_views: reset ? badge.camo + badge.other : badge.reset_views,
    hidden: hidden === undefined ? badge.hidden : Number(hidden),
  }
}

const displayedViews = ({ camo, other }: BadgeRow, { base, reset_views }: State) => camo + other + base - reset_views

function changesOf(badge: BadgeRow, next: State, { reset }: PatchBadgeBody) {
  const changes: { field: string; from: string | boolean; to: string | boolean }[] = []
  const [before, after] = [displayedViews(badge, badge), displayedViews(badge, next)]
  if (reset) changes.push({ field: 'views', from: String(before), to: String(after) })
  if (next.base !== badge.base) changes.push({ field: 'base', from: String(badge.base), to: String(next.base) })
  if (next.hidden !== badge.hidden) changes.push({ field: 'hidden', from: badge.hidden === 1, to: next.hidden === 1 })
  return changes
}

/** Deletes the daily history and starts this day from the current totals. */
async function resetHistory(tx: Queries, { tag, camo, other }: BadgeRow, day: string): Promise<void> {
  await tx.deleteFrom('badge_day').where('tag', '=', tag).execute()
  await tx.insertInto('badge_day').values({ tag, day, camo, other }).execute()
}
