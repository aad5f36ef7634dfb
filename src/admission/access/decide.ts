import type { Change } from '../../people/audit/contract.ts'
import { changesBetween } from '../../people/audit/fields.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { lockUser, markEdited, parseRoles } from '../../people/store.ts'
import { actOnEach } from '../../platform/act-on-each.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Acting, Actor } from '../../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { HttpError } from '../../shared/http-error.ts'
import { Active, type Roles } from '../../shared/user.ts'
import type { DecideAnswer, DecideBody, Decision } from './contract.ts'
import { waitingChanged } from './store.ts'

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
  { db, now, notify }: DecideContext,
  tx: Queries,
  { actor, id, decision }: Deciding,
): Promise<readonly LiveEvent[]> {
  const at = now()
  // Whoever decides at the same moment waits here, and then finds it decided.
  await lockUser(db, tx, { id })
  const request = await tx
    .updateTable('access_request')
    .set({ decided_at: at, decision })
    .where('user_id', '=', id)
    .where('decided_at', 'is', null)
    .returning('kind')
    .executeTakeFirst()
  if (!request) throw new HttpError(409, 'This request was already decided.')
  const { email, ...before } = await rightsOf(tx, id)
  const after = decision === 'decline' ? before : granted(before, decision)
  const changes = changesBetween(inLog(before), inLog(after))
  if (changes.length > 0) await grant(db, tx, id, after, { by: actor.id, at })
  await writeAudit(tx, at, { actor, action: `access.${decided[decision]}`, target: { id, name: email }, changes })
  const toast = 'info'
  const message = sentenceFor(request.kind, decision, changes)
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast }]))]
}

const decided = { approve: 'approve', tools: 'approve', decline: 'decline' } as const

type Rights = { status: number; roles: Roles }

async function rightsOf(tx: Queries, id: string): Promise<Rights & { email: string }> {
  const users = tx.selectFrom('users').select(['email', 'status', 'roles']).where('id', '=', id)
  const { roles, ...user } = await users.executeTakeFirstOrThrow()
  return { ...user, roles: parseRoles(roles) }
}

const granted = ({ roles }: Rights, decision: 'approve' | 'tools'): Rights => ({
  status: Active,
  roles: decision === 'tools' && roles.Tools === 0 ? { ...roles, Tools: 1 } : roles,
})

const inLog = ({ status, roles }: Rights) => ({ status, 'roles.Tools': roles.Tools })

async function grant(
  db: DecideContext['db'],
  tx: Queries,
  id: string,
  { status, roles }: Rights,
  edit: Parameters<typeof markEdited>[3],
) {
  await tx
    .updateTable('users')
    .set({ status, roles: JSON.stringify(roles) })
    .where('id', '=', id)
    .execute()
  await markEdited(db, tx, id, edit)
}

/** What the user reads once they are signed in. */
function sentenceFor(kind: 'request' | 'sign-up', decision: Decision, changes: readonly Change[]): string {
  if (decision === 'decline') return 'Your request for access was declined. You can ask again after a day.'
  if (changes.some(({ field }) => field === 'roles.Tools'))
    return 'Your request was approved. You can use the tools now.'
  return kind === 'sign-up' ? 'Your account was approved.' : 'Your request for access was approved.'
}
