import type { Context } from '../../platform/context.ts'
import { originOf } from '../../platform/http/access/actor.ts'
import { cookieNote, type Exchange } from '../../platform/http/access/cookie-note.ts'
import { hours } from '../../shared/time.ts'
import { acceptInvite, type InviteContext } from './accept.ts'
import { inviteRefusals } from './refusal.ts'

/** The id of the opened invitation, never its token, that the next sign-in in this browser uses. */
export const inviteNote = cookieNote('invite', hours(1))

/** Gives a user who has just signed in what the invitation of this browser has, or tells why not. It never stops the sign-in. */
export async function acceptPendingInvite(
  context: InviteContext & Pick<Context, 'config' | 'events' | 'log'>,
  exchange: Exchange,
  userId: string,
): Promise<void> {
  const id = inviteNote.read(context, exchange.request)
  if (id === undefined) return
  try {
    const origin = originOf(exchange.request)
    const refused = await acceptInvite(context, id, userId, { origin, toast: true })
    if (refused) {
      const message = inviteRefusals[refused]
      context.events.publish(
        await context.notify(context.db.q, [{ type: 'account', userId, message, toast: 'warning' }]),
      )
    }
    inviteNote.forget(context, exchange)
  } catch (error) {
    // The browser keeps it for the next sign-in.
    context.log.error({ err: error }, 'an invitation could not be used')
  }
}
