import { randomUUID } from 'node:crypto'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { tooMany } from '../../shared/http-error.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import { Active, type SessionUser } from '../../shared/user.ts'
import { credentialsProvider } from '../contract.ts'
import type { NewUser, UserRow } from '../store.ts'
import type { AuditAction, Change } from './contract.ts'

const outsideOfRequests = { id: null, address: null, device: null }
export const commandLine: Actor = { ...outsideOfRequests, name: 'Command line' }
export const configuration: Actor = { ...outsideOfRequests, name: 'Configuration' }

export type AuditRecord = {
  actor: Actor
  action: AuditAction
  /** The user or object that was acted on. */
  target?: { id: string | null; name: string }
  /** The changed fields, without secrets. */
  changes?: readonly Change[]
}

/** Maximum entries of a kind per user and day; further changes are refused, since log entries can't be deleted. */
export const mostOwnADay = 200
const mostOnOthersADay = 20_000
const dailyLimits: { [Action in AuditAction]?: number } = {
  'session.start': 2_000,
  'invite.create': 1_000,
  // A user may have 1,000 badges and 1,000 entries.
  'badge.claim': 1_000,
  'badge.edit': 1_000,
  'secret.renew': 1_000,
  'hook.renew': 1_000,
}

/** Actions that only end something are never refused: they can't outnumber what was created. */
const endingActions: ReadonlySet<AuditAction> = new Set([
  'session.end',
  'user.sessions',
  'user.delete',
  'access.decline',
  'invite.revoke',
  'provider.unlink',
  'factor.off',
  'factor.reset',
  'factor.code',
  'passkey.delete',
  'key.delete',
  'badge.release',
])

/** Writes an entry in the transaction of the change. Throws a 429 if the actor is over the daily limit for its kind. */
export async function writeAudit(tx: Queries, at: Instant, record: AuditRecord): Promise<void> {
  const { actor, action, target, changes = [] } = record
  // Opening a session checks the limit beforehand; a session that exists must be logged.
  if (action !== 'session.start' && !endingActions.has(action)) await requireAuditRoom(tx, at, record)
  await tx
    .insertInto('audit')
    .values({
      id: randomUUID(),
      at,
      actor_id: actor.id,
      actor: actor.name,
      action,
      target_id: target?.id ?? null,
      target: target?.name ?? null,
      changes: JSON.stringify(changes),
      address: actor.address,
      device: actor.device,
    })
    .execute()
}

/** For these kinds, a user's actions on their own account and on others are counted separately. */
const isUserAction = (action: AuditAction) => /^(?:user|access|provider|factor|passkey|entry)\./.test(action)
const isOnOthers = ({ actor, action, target }: AuditRecord): boolean =>
  target !== undefined && target.id !== actor.id && isUserAction(action)

/** Throws a 429 if the actor of this record is over the daily limit for its kind. */
export async function requireAuditRoom(tx: Queries, at: Instant, record: AuditRecord): Promise<void> {
  const wait = await auditWaitTime(tx, at, record)
  if (wait > 0) throw tooMany('Too many changes of this kind today.', wait, 'hour')
}

/** How long the actor of this record has to wait before the next entry of its kind; 0 if there is room. */
export async function auditWaitTime(tx: Queries, at: Instant, record: AuditRecord): Promise<Milliseconds> {
  const { actor, action } = record
  if (actor.id === null) return 0
  const limit = isOnOthers(record) ? mostOnOthersADay : (dailyLimits[action] ?? mostOwnADay)
  const isOwn = isUserAction(action) && !isOnOthers(record)
  const last = await tx
    .selectFrom('audit')
    .select('at')
    .where('actor_id', '=', actor.id)
    .where('at', '>', at - days(1))
    // Ignore later entries: the clock may have been set back.
    .where('at', '<=', at)
    .where('action', '=', action)
    .$if(isOwn, (rows) => rows.where((eb) => eb.or([eb('target_id', 'is', null), eb('target_id', '=', actor.id)])))
    .orderBy('at', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  return last ? last.at + days(1) - at : 0
}

type Value = Change['from']
/** A user as logged: one plain value per field. */
type Fields = Record<string, Value>

/** The name of an account in the log: its provider id, then its username there or else its id. */
export const accountName = ({ providerId, accountId, accountUsername }: SessionUser['providers'][number]): string =>
  `${providerId} ${accountUsername ?? accountId}`

export const fieldsOf = (user: Omit<UserRow, 'id'> & { providers?: SessionUser['providers'] }): Fields => ({
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  status: user.status,
  'roles.Admin': user.roles.Admin,
  'roles.Tools': user.roles.Tools,
  tags: user.tags,
  credUsername: user.credUsername,
  ...(user.providers && { providers: user.providers.map(accountName) }),
})

/** The fields that differ; a missing one counts as null. */
export function changesBetween(before: Fields, after: Fields): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null]
    return comparable(from) === comparable(to) ? [] : [{ field, from, to }]
  })
}

/** The fields of something new, as changes from null. */
export const changesFromNull = (fields: Fields): Change[] =>
  Object.entries(fields).map(([field, to]) => ({ field, from: null, to }))

/** An empty list equals null. */
const comparable = (value: Value) => JSON.stringify(Array.isArray(value) && value.length === 0 ? null : value)

export function creation(actor: Actor, id: string, user: NewUser): AuditRecord {
  const { credentials, tags = [], status = Active } = user
  const credUsername = credentials?.username ?? null
  const password = { providerId: credentialsProvider, accountId: id, accountUsername: credUsername }
  const providers = credentials?.hash ? [password] : []
  const fields = fieldsOf({ ...user, tags: [...tags], status, providers, credUsername })
  return { actor, action: 'user.create', target: { id, name: user.email }, changes: changesBetween({}, fields) }
}
