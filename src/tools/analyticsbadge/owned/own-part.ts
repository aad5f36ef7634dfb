import * as z from 'zod/mini'
import type { OwnPart } from '../../../entries/tool-server.ts'
import { formatCount } from '../../../shared/count.ts'
import { OwnedBadge } from '../contract.ts'
import { badgesOf } from './list.ts'

/** The tags that somebody has claimed, in the file of their data and when they leave. */
export const claimedBadges: OwnPart = {
  name: 'badges',
  Shape: z.array(OwnedBadge),
  read: (userId, { db, now }) => badgesOf(db.q, userId, now()),
  async farewell(userId, { db }) {
    const { q } = db
    const claimed = q.selectFrom('badge').select(q.fn.count('tag').as('tags')).where('owner_id', '=', userId)
    const tags = Number((await claimed.executeTakeFirstOrThrow()).tags)
    if (tags === 0) return undefined
    const what = tags === 1 ? '1 claimed badge is' : `${formatCount(tags)} claimed badges are`
    return `${what} released. Badges on your pages keep counting.`
  },
}
