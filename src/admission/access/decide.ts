import type { Change } from '../../people/audit/contract.ts'
import { lockUser, type UserRow } from '../../people/store.ts'
import { actOnEach } from '../../platform/act-on-each.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Acting, Actor } from '../../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { HttpError } from '../../shared/http-error.ts'
import { Active } from '../../shared/user.ts'
import type { DecideAnswer, DecideBody, Decision } from './contract.ts'
import { editUser } from './edit-user.ts'
import { requestOf, waitingChanged } from './store.ts'

export type DecideContext = Pick<Context, 'db' | 'now' | 'events' | 'notify' | 'log'>

/** Decides each request in a transaction of its own. */
export async function decideRequests(
  context: DecideContext,
  { actor, insistStill }: Acting,
  { ids, decision }: DecideBody,
): Promise<DecideAnswer> {
  const { done, refused } = await actOnEach(context, insistStill, ids, async (id) => {
    context.events.publish(await transact(context.db, (tx) => decideOne(context, tx, { actor, id, decision })))
    return undefined
  })
  context.events.publish([waitingChanged])
  return { done, refused }
}

type Deciding = { actor: Actor; id: string; decision: Decision }

async function decideOne(
  context: DecideContext,
  tx: Queries,
  { actor, id, decision }: Deciding,
): Promise<readonly LiveEvent[]> {
  const { db, now, notify } = context
  // Whoever decides at the same moment waits here, and then finds it decided.
  const user = await lockUser(db, tx, { id })
  const request = await requestOf(tx, id)
  if (request?.decided_at !== null) throw new HttpError(409, 'This request was already decided.')
  const action = decision === 'decline' ? 'access.decline' : 'access.approve'
  const changes = await editUser(context, tx, user, { to: rightsBy(decision, user), actor, action })
  await tx.updateTable('access_request').set({ decided_at: now(), decision }).where('user_id', '=', id).execute()
  const toast = 'info'
  const message = sentenceFor(request.kind, decision, changes)
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast }]))]
}

function rightsBy(decision: Decision, { roles }: UserRow): Partial<UserRow> {
  if (decision === 'decline') return {}
  return { status: Active, ...(decision === 'tools' && roles.Tools === 0 && { roles: { ...roles, Tools: 1 } }) }
}

/** What the user reads once they are signed in. */
function sentenceFor(kind: 'request' | 'sign-up', decision: Decision, changes: readonly Change[]): string {
  if (decision === 'decline') return 'Your request for access was declined. You can ask again after a day.'
  if (changes.some(({ field }) => field === 'roles.Tools'))
    return 'Your request was approved. You can use the tools now.'
  return kind === 'sign-up' ? 'Your account was approved.' : 'Your request for access was approved.'
}
