import { hasAdmin } from '../people/store.ts'
import type { Context } from '../platform/context.ts'

type Telling = Pick<Context, 'db' | 'events' | 'tell'>

/** Tells admins a sentence about this server, once for each database, and only when there is somebody to tell. */
export async function tellAdminsOnce({ db, events, tell }: Telling, key: string, message: string): Promise<void> {
  const news = await db.q.transaction().execute(async (tx) => {
    if (!(await hasAdmin(tx))) return []
    const noted = await tx
      .insertInto('setting')
      .values({ key, value: message })
      .onConflict((on) => on.column('key').doNothing())
      .returning('key')
      .executeTakeFirst()
    return noted ? tell(tx, [{ type: 'operator', message }]) : []
  })
  events.publish(news)
}
