import type { Queries } from '../../platform/db/open.ts'

/** Ends one of a user's sessions, or all but the one to keep; returns how many. */
export async function endSessions(
  q: Queries,
  userId: string,
  which: { id: string } | { keep: string | undefined },
): Promise<number> {
  const own = q.deleteFrom('sessions').where('user_id', '=', userId)
  const chosen = 'id' in which ? own.where('id', '=', which.id) : own.where('id', '!=', which.keep ?? '')
  const { numDeletedRows } = await chosen.executeTakeFirst()
  return Number(numDeletedRows)
}
