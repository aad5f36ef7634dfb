import { deleteUser, type EditContext } from '../admin/edit.ts'
import type { OwnPart } from '../entries/tool-server.ts'
import type { Context } from '../platform/context.ts'
import type { By } from '../platform/http/access/actor.ts'
import type { Summary } from './contract.ts'

/** What goes with somebody's account. */
export async function summaryOf(
  context: Pick<Context, 'db' | 'now'>,
  userId: string,
  own: readonly OwnPart[],
): Promise<Summary> {
  const { q } = context.db
  const { count } = q.fn
  const [entries, channels, sessions, apiKeys] = await Promise.all([
    q.selectFrom('entry').select(count('id').as('rows')).where('owner_id', '=', userId).executeTakeFirstOrThrow(),
    q.selectFrom('channel').select(count('id').as('rows')).where('user_id', '=', userId).executeTakeFirstOrThrow(),
    q.selectFrom('sessions').select(count('id').as('rows')).where('user_id', '=', userId).executeTakeFirstOrThrow(),
    q.selectFrom('api_key').select(count('id').as('rows')).where('user_id', '=', userId).executeTakeFirstOrThrow(),
  ])
  const more = await Promise.all(own.map(async (part) => (await part.farewell?.(userId, context)) ?? []))
  return {
    entries: Number(entries.rows),
    channels: Number(channels.rows),
    sessions: Number(sessions.rows),
    apiKeys: Number(apiKeys.rows),
    more: more.flat(),
  }
}

/** Deletes whoever asks, with all they own; only the audit log keeps that they did. */
export const deleteSelf = (context: EditContext, { user, actor }: By): Promise<string> =>
  deleteUser(context, actor, { id: user.id })
