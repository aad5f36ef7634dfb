import { writeAudit } from '../../people/audit/log.ts'
import { lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { ActingUser } from '../../platform/http/access/actor.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { quote } from '../../platform/notice.ts'
import { callerDeleted, HttpError } from '../../shared/http-error.ts'
import { type Instant, seconds } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import { nextRequestAt, openRequest, requestOf, waitingChanged } from './store.ts'

type AccessContext = Pick<Context, 'db' | 'now' | 'events' | 'notify'>

const askedToday = 'You can ask once a day. Try again tomorrow.'

/** Requests access and returns the time. Throws a 409 if the user has access, a 429 if they asked within a day. */
export async function askForAccess(context: AccessContext, by: ActingUser, message: string | null): Promise<Instant> {
  const { db, now, events } = context
  const { id, name, email } = by.user
  if (can(by.user, 'Tools', 1)) throw new HttpError(409, 'You can already use the tools.')
  const at = now()
  const liveEvents = await transact(db, async (tx) => {
    await lockUser(db, tx, { id }, callerDeleted)
    const next = nextRequestAt(await requestOf(tx, id), at)
    if (next !== undefined) throw new HttpError(429, askedToday, { retryAfter: Math.ceil((next - at) / seconds(1)) })
    await openRequest(tx, { userId: id, kind: 'request', message }, at)
    const changes = message === null ? [] : [{ field: 'message', from: null, to: message }]
    await writeAudit(tx, at, { actor: by.actor, action: 'access.request', changes })
    const sentence = `${quote(name)} (${quote(email)}) requested access`
    return notifyAdmins(context, tx, message === null ? `${sentence}.` : `${sentence}: ${quote(message)}`)
  })
  events.publish(liveEvents)
  return at
}

/** Notifies all admins of a waiting user; returns the live events that update their screens. */
export async function notifyAdmins(
  { notify }: Pick<Context, 'notify'>,
  tx: Queries,
  message: string,
): Promise<readonly LiveEvent[]> {
  return [...(await notify(tx, [{ type: 'access', message }])), waitingChanged]
}
