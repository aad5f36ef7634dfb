import { writeAudit } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Origin } from '../../platform/http/access/actor.ts'

/** How many sessions a user may have; the oldest end. */
const mostSessions = 20

/** A session that was opened in a browser, the one that it replaces there, and where that browser is. */
type Opened = { token: string; replaced: string | undefined; origin: Origin }

/** Ends and logs the session that a new one replaces in its browser, and the user's oldest over the limit. Returns whose sessions ended. */
export const makeRoom = ({ db, now }: Pick<Context, 'db' | 'now'>, { token, replaced, origin }: Opened) =>
  db.q.transaction().execute(async (tx): Promise<string[]> => {
    const ended = tx.deleteFrom('sessions').returning('user_id')
    const before = replaced === undefined ? [] : await ended.where('token', '=', replaced).execute()
    const oldest = await endOldest(tx, token)
    const write = async ({ user_id: id }: { user_id: string }, record: Ended) => {
      const user = tx.selectFrom('users').select('email').where('id', '=', id)
      const name = (await user.executeTakeFirst())?.email ?? id
      await writeAudit(tx, now(), { actor: { id, name, ...origin }, ...record })
    }
    for (const one of before) await write(one, { action: 'session.end' })
    const [first] = oldest
    const changes = [{ field: 'sessions', from: null, to: oldest.length }]
    if (first) await write(first, { action: 'user.sessions', changes })
    return [...new Set([...before, ...oldest].map(({ user_id }) => user_id))]
  })
type Ended = Pick<Parameters<typeof writeAudit>[2], 'action' | 'changes'>

/** Ends the oldest sessions over the limit of the user who has the session with this token. */
async function endOldest(tx: Queries, token: string): Promise<{ user_id: string }[]> {
  const opened = await tx.selectFrom('sessions').select('user_id').where('token', '=', token).executeTakeFirst()
  if (!opened) return []
  const others = tx
    .selectFrom('sessions')
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .orderBy('created_at', 'desc')
    .orderBy('id')
  const kept = others.select('id').limit(mostSessions - 1)
  return tx
    .deleteFrom('sessions')
    .returning('user_id')
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .where('id', 'not in', kept)
    .execute()
}
