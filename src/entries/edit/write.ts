import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AuditEntryChange, Context } from '../../platform/context.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { ActingUser } from '../../platform/http/access/actor.ts'
import type { Caller } from '../../platform/http/app.ts'
import { invalid } from '../../shared/http-error.ts'
import { type Instant, laterThan, minutes } from '../../shared/time.ts'
import { pauseIncident } from '../runs/incidents.ts'
import { nextTurn } from '../runs/perform.ts'
import { completeSettings, earliestTurn, openSettings, sealSettings } from '../settings.ts'
import { canSeeAll, entryStore, turnJob } from '../store.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { AnyEntryToolServer, Edit } from '../tool-server.ts'

/** The body of a POST or PATCH after the contract has parsed it. */
export type EntryBody = {
  name?: string | null | undefined
  status?: boolean | undefined
  notifyAfter?: number | undefined
  owner?: string | undefined
  ifUpdatedAt?: Instant | undefined
  [setting: string]: unknown
}

type NewEntry = { body: EntryBody; settings: Record<string, unknown> }

/** Inserts an entry and its first turn, due immediately. Throws a 409 if the owner has reached the limit. */
export async function insertEntry(
  context: Context,
  tx: Queries,
  tool: AnyEntryToolServer,
  by: ActingUser,
  entry: NewEntry,
): Promise<{ id: string; ownerId: string }> {
  const entries = entryStore(context.db, tx)
  const ownerId = await ownerOf(entries, by.user, entry.body.owner, by.user)
  await entries.lockOwner(ownerId)
  if (!canSeeAll(by.user)) await entries.requireRoom(ownerId)
  return { id: await insertOwnedEntry(context, tx, tool, by, { ...entry, ownerId }), ownerId }
}

/** Like `insertEntry`, for an owner who is already locked and has room. Returns the entry's id. */
export async function insertOwnedEntry(
  context: Context,
  tx: Queries,
  tool: AnyEntryToolServer,
  by: ActingUser,
  { ownerId, body, settings }: NewEntry & { ownerId: string },
): Promise<string> {
  const id = randomUUID()
  const at = context.now()
  const status = body.status ?? true
  const newToken = tool.createToken?.(context)
  const sealedSettings = { ...sealSettings(tool, settings, undefined, context), ...newToken?.sealed }
  await entryStore(context.db, tx).insert({
    id,
    tool: tool.contract.id,
    name: body.name ?? null,
    about: aboutOf(tool, settings, ''),
    ownerId,
    status,
    notifyAfter: body.notifyAfter ?? defaultNotifyAfter,
    settings: sealedSettings,
    address: newToken?.address ?? null,
    at,
    changedBy: by.user.id,
  })
  await tool.afterSave?.(id, settings, undefined, tx, context)
  await auditOthersEntry(context, tx, by, 'entry.create', { tool, id, name: body.name ?? null, ownerId })
  if (status && tool.schedule) {
    const dueAt = earliestTurn(tool, settings, at)
    await context.jobs.plan({ id: turnJob(id), kind: 'turn', entryId: id, turnAt: at, dueAt, plannedAt: at }, tx)
  }
  return id
}

export const isOutdated = ({ updatedAt }: StoredEntry, { ifUpdatedAt }: EntryBody): boolean =>
  ifUpdatedAt !== undefined && updatedAt > ifUpdatedAt

/**
 * Returns whose screens must refresh, and the edit's time; undefined if edited after `ifUpdatedAt`, or if the settings
 * that the edit was `validated` against have changed.
 */
export async function updateEntry(
  context: Context,
  tx: Queries,
  tool: AnyEntryToolServer,
  by: ActingUser,
  { id, body, validated }: { id: string; body: EntryBody; validated?: Record<string, unknown> },
): Promise<{ owners: Set<string>; updatedAt: Instant } | undefined> {
  const { user } = by
  const entries = entryStore(context.db, tx)
  await lockEntry(context.db, tx, id)
  const entry = await entries.get(tool.contract.id, id, user)
  if (isOutdated(entry, body)) return undefined
  const current = openSettings(tool, entry.settings, context)
  if (validated && !isDeepStrictEqual(current, validated)) return undefined
  const settings = completeSettings(tool, editOf(tool, body, entry), current)
  const status = body.status ?? entry.status
  const ownerId = await ownerOf(entries, user, body.owner, { id: entry.ownerId, email: entry.owner })
  const { name = entry.name, notifyAfter = entry.notifyAfter } = body
  const before = { name: entry.name, notifyAfter: entry.notifyAfter, status: entry.status, ownerId: entry.ownerId }
  const after = { name, notifyAfter, status, ownerId }
  if (isDeepStrictEqual({ ...after, settings }, { ...before, settings: current }))
    return { owners: new Set(), updatedAt: entry.updatedAt }
  if (ownerId !== entry.ownerId) await entries.lockOwner(ownerId)
  const sealedSettings = { ...Object(entry.settings), ...sealSettings(tool, settings, entry.settings, context) }
  const at = laterThan(entry.updatedAt, context.now())
  const about = aboutOf(tool, settings, entry.about)
  await entries.update(id, { ...after, about, settings: sealedSettings, at, changedBy: user.id })
  if (entry.status && !status) await pauseIncident(context.db, tx, id, at)
  if (ownerId !== entry.ownerId) await endPublication(tx, id)
  await tool.afterSave?.(id, settings, current, tx, context)
  await auditEdit(context, tx, by, { tool, entry, current }, { ...after, settings })
  await replan(context, tool, user, { entry, settings: current }, { status, settings }, tx)
  return { owners: new Set([entry.ownerId, ownerId]), updatedAt: at }
}

/**
 * Unpublishes an entry from its former owner's status page and badge: publishing is the new owner's choice. Deletes the
 * former owner's notes, which would be published in the new owner's name.
 */
async function endPublication(tx: Queries, id: string): Promise<void> {
  await tx.deleteFrom('status_page_entry').where('entry_id', '=', id).execute()
  await tx.updateTable('incident').set({ note: null, noted_at: null }).where('entry_id', '=', id).execute()
  await tx
    .updateTable('entry')
    .set(({ eb }) => ({ badge_version: eb('badge_version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

const defaultNotifyAfter = 2
const longestAbout = 200
/** `fallback` is used if the tool can't derive the description from these settings. */
const aboutOf = (tool: AnyEntryToolServer, settings: Record<string, unknown>, fallback: string) =>
  tool.about?.(settings).slice(0, longestAbout) ?? fallback

type Plan = { status: boolean; settings: Record<string, unknown> }

/** Reschedules the next turn if the edit requires it. A delayed turn keeps its place at the fixed rate. */
async function replan(
  context: Context,
  tool: AnyEntryToolServer,
  user: Caller['user'],
  { entry, settings }: { entry: StoredEntry; settings: Record<string, unknown> },
  after: Plan,
  tx: Queries,
) {
  const { schedule } = tool
  if (!schedule) return
  const { isUnderWay, waitingSince, lastRun } = entry
  const id = turnJob(entry.id)
  const at = context.now()
  const isNew = schedule.subject(settings) !== schedule.subject(after.settings)
  if (isNew || !isDeepStrictEqual(schedule.terms?.(settings), schedule.terms?.(after.settings)))
    await context.jobs.restart(entry.id, at, tx)
  if (!after.status) return context.jobs.cancel(id, tx)
  const plan = (turnAt: Instant) => {
    const dueAt = earliestTurn(tool, after.settings, Math.max(at, turnAt))
    return context.jobs.plan({ id, kind: 'turn', entryId: entry.id, turnAt, dueAt, plannedAt: at }, tx)
  }
  if (isNew) return plan(at)
  const every = schedule.every(after.settings, context.config)
  const isRunning = entry.status && isUnderWay && waitingSince === null
  if (entry.status && every === schedule.every(settings, context.config)) {
    const { turnAt } = entry
    if (turnAt === null) return
    const next = isRunning ? nextTurn(turnAt, every, at, at) : turnAt
    const from = Math.max(at, next)
    if (earliestTurn(tool, after.settings, from) === earliestTurn(tool, settings, from)) return
    // The running turn would plan the next one by the old settings, so override that.
    return isRunning ? context.jobs.planNext(id, next, tx) : plan(turnAt)
  }
  // The running turn is still recorded and counts as the last run.
  if (isRunning) return context.jobs.planNext(id, at + every, tx)
  // A last run in the future dates from before the clock was set back.
  const lastRunAt = Math.min(at, lastRun?.timestamp ?? 0)
  const dueAt = entry.status ? Math.max(at, lastRunAt + every) : at
  // Switching an entry off and on must not allow more runs than Run now does.
  if (dueAt > at || context.visitLimits.tryConsumeRun(user.id, entry.id)) return plan(dueAt)
  return plan(Math.max(at + minutes(1), lastRunAt + every / 2))
}

async function ownerOf(
  entries: ReturnType<typeof entryStore>,
  user: Caller['user'],
  email: string | undefined,
  current: { id: string; email: string },
): Promise<string> {
  if (email === undefined || email === current.email) return current.id
  if (!canSeeAll(user)) throw invalid('owner', 'Only users with Admin Access to the tools can set the owner.')
  return entries.ownerByEmail(email)
}

export const editOf = (tool: AnyEntryToolServer, body: EntryBody, { owner }: Pick<StoredEntry, 'owner'>): Edit => ({
  changes: pickSettings(tool, body),
  isHandedOver: body.owner !== undefined && body.owner !== owner,
})

export const pickSettings = (tool: AnyEntryToolServer, body: EntryBody): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(tool.contract.Settings.shape).flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  )

type Change = Parameters<AuditEntryChange>[1]['changes'][number]

type Named = Pick<StoredEntry, 'id' | 'name'>

/** Identifies the entry in the audit log by name and id, because its description may contain a secret URL. */
export const entryChange = (noun: string, { id, name }: Named): Change => {
  return { field: 'entry', from: null, to: name === null ? `${noun} ${id}` : `${noun} ${name} (${id})` }
}

/** Logs that another user's entry was created or deleted. What users do to their own entries isn't logged. */
export async function auditOthersEntry(
  { audit }: Pick<Context, 'audit'>,
  tx: Queries,
  { user, actor }: ActingUser,
  action: 'entry.create' | 'entry.delete',
  { tool, ownerId, ...entry }: Named & { tool: AnyEntryToolServer; ownerId: string },
): Promise<void> {
  if (ownerId === user.id) return
  const target = { id: ownerId, name: await emailOf(tx, ownerId) }
  await audit(tx, { actor, action, target, changes: [entryChange(tool.contract.noun, entry)] })
}

type Before = { tool: AnyEntryToolServer; entry: StoredEntry; current: Record<string, unknown> }
type After = Pick<StoredEntry, 'name' | 'notifyAfter' | 'status' | 'ownerId'> & { settings: Record<string, unknown> }

/** Logs edits of other users' entries, and new secrets. Logs only names of settings, because a URL may be secret. */
async function auditEdit(
  { audit }: Pick<Context, 'audit'>,
  tx: Queries,
  { user, actor }: ActingUser,
  { tool, entry, current }: Before,
  { name, notifyAfter, status, ownerId, settings }: After,
): Promise<void> {
  const names = Object.keys(settings).filter((name) => !isDeepStrictEqual(settings[name], current[name]))
  const secret = Object.keys(tool.secrets?.mask(settings) ?? {})
  const isSecret = names.some((name) => secret.includes(name))
  const isOthers = entry.ownerId !== user.id || ownerId !== entry.ownerId
  if (!isOthers && !isSecret) return
  const changes: Change[] = [entryChange(tool.contract.noun, entry)]
  if (names.length > 0) changes.push({ field: 'settings', from: null, to: names })
  if (name !== entry.name) changes.push({ field: 'name', from: entry.name, to: name })
  if (notifyAfter !== entry.notifyAfter)
    changes.push({ field: 'notify after', from: String(entry.notifyAfter), to: String(notifyAfter) })
  if (status !== entry.status) changes.push({ field: 'active', from: entry.status, to: status })
  if (ownerId !== entry.ownerId) changes.push({ field: 'owner', from: entry.owner, to: await emailOf(tx, ownerId) })
  const action = isSecret ? 'secret.renew' : 'entry.edit'
  await audit(tx, { actor, action, target: { id: entry.ownerId, name: entry.owner }, changes })
}

async function emailOf(tx: Queries, id: string): Promise<string> {
  return (await tx.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email ?? id
}
