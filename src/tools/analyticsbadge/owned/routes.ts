import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import { type By, byOf } from '../../../platform/http/access/actor.ts'
import { callerOf, signedIn } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import { routesOf } from '../../../platform/http/calls.ts'
import { formatCount } from '../../../shared/count.ts'
import { analyticsbadge, badgeCalls } from '../contract.ts'
import type { NewTagLimits } from '../counting/new-tags.ts'
import { badgesOf } from './list.ts'
import { claimTag, editBadge, mostClaimed, releaseTag } from './owned.ts'

const unclaimed = { 403: 'Somebody else has claimed this tag.', 404: 'Claimed tag not found.' }

/** The calls by which users claim tags, and change what their badges show. */
export function ownedRoutes(app: App, context: Pick<Context, 'db' | 'audit' | 'now'> & { limits: NewTagLimits }): void {
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
      failures: {
        403: ['Somebody else has claimed this tag.', 'Only admins can claim a tag for somebody else.'],
        409: "You've reached the limit of 1,000 claimed tags.",
        429: 'Too many new tags. Try again in an hour.',
      },
      description: `A tag without views can be claimed by anyone; an admin with full access can assign any tag to a user. A user can have ${formatCount(mostClaimed)}.`,
    },
    async (request) => {
      const { tag } = request.params
      const [badge] = await transact(db, async (tx) => {
        const ownerId = await claimTag(context, tx, byOf(request), { tag, owner: request.body?.owner })
        return badgesOf(tx, ownerId, now(), tag)
      })
      return badge!
    },
  )

  /** Changes a badge of the caller. */
  const change = (by: By, tag: string, work: (tx: Queries) => Promise<void>) =>
    transact(db, async (tx) => {
      await work(tx)
      return badgesOf(tx, by.user.id, now(), tag)
    })

  route(
    'PATCH /api/v1/analyticsbadge/:tag',
    {
      ...signedIn('write'),
      summary: 'Change what your badge shows',
      failures: unclaimed,
      description:
        '`base` is added to its views and never lowers its number; `hidden` leaves only its label in the image. `reset` starts again from the base, or from 0.',
    },
    async (request) => {
      const { tag } = request.params
      const by = byOf(request)
      const [badge] = await change(by, tag, (tx) => editBadge(context, tx, by, { tag, patch: request.body }))
      return badge!
    },
  )

  route(
    'DELETE /api/v1/analyticsbadge/:tag/claim',
    {
      ...signedIn('write'),
      summary: 'Release a tag that you have claimed',
      failures: unclaimed,
      description: 'Its number stays and is shown.',
    },
    async (request) => {
      const { tag } = request.params
      const by = byOf(request)
      await change(by, tag, (tx) => releaseTag(context, tx, by, { tag }))
      return { tag }
    },
  )
}
