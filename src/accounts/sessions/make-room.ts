import type { Queries } from '../../platform/db/open.ts'

/** How many sessions a user may have; the oldest end. */
const mostSessions = 20

/** Ends the session that a new one replaces in its browser, and the user's oldest over the limit. Returns whose sessions ended. */
export async function makeRoom(q: Queries, token: string, replaced: string | undefined): Promise<string[]> {
  const ended = q.deleteFrom('sessions').returning('user_id')
  const before = replaced === undefined ? [] : await ended.where('token', '=', replaced).execute()
  const opened = await q.selectFrom('sessions').select('user_id').where('token', '=', token).executeTakeFirst()
  if (!opened) return before.map(({ user_id }) => user_id)
  const others = q
    .selectFrom('sessions')
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .orderBy('created_at', 'desc')
    .orderBy('id')
  const kept = others.select('id').limit(mostSessions - 1)
  const oldest = await ended
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .where('id', 'not in', kept)
    .execute()
  return [...new Set([...before, ...oldest].map(({ user_id }) => user_id))]
}
