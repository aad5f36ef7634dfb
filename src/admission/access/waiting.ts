import type { FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { cookieNote } from '../../platform/http/access/cookie-note.ts'
import { days } from '../../shared/time.ts'
import { Active, Inactive } from '../../shared/user.ts'
import { requestOf } from './store.ts'

/** The id of who signed up in this browser and waits. Screens see that it is there; it opens nothing, and only tells whether they were approved. */
export const waitingNote = cookieNote('waiting', days(90), { isVisible: true })

/** Whether the user whom this browser waits for is still pending, or may sign in by now. */
export async function waitingIn(
  context: Pick<Context, 'config' | 'db' | 'now'>,
  request: FastifyRequest,
): Promise<'pending' | 'approved' | 'none'> {
  const { q } = context.db
  const userId = waitingNote.read(context, request)
  if (userId === undefined) return 'none'
  const user = await q.selectFrom('users').select('status').where('id', '=', userId).executeTakeFirst()
  if (user?.status === Active) return 'approved'
  const row = await requestOf(q, userId)
  return user?.status === Inactive && row?.kind === 'sign-up' && row.decided_at === null ? 'pending' : 'none'
}
