import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { transact } from '../platform/db/transact.ts'
import type { Caller } from '../platform/http/caller.ts'
import type { Kit } from '../platform/kit.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import { Fault, invalid } from '../shared/fault.ts'
import { type Instant, laterThan } from '../shared/time.ts'
import { completeSettings, openSettings, sealSettings } from './settings.ts'
import { entryStore, nowJob, type StoredEntry, seesAll, turnJob } from './store.ts'
import type { AnyEntryTool } from './tool.ts'

/** What a body may say about an entry, after the contract. */
export type EntryBody = {
  status?: boolean | undefined
  owner?: string | undefined
  ifUpdatedAt?: Instant | undefined
  [setting: string]: unknown
}

/** Which entry was written, and what its owner should know about it. */
export type Saved = { id: string; warning: string | undefined }

/** `outdated`: the entry was edited since `ifUpdatedAt`, and nothing was written. */
export type Changed = Saved & { outdated: boolean }

/** A new entry and its first turn, due now, in one transaction. */
export async function createEntry(kit: Kit, tool: AnyEntryTool, user: Caller['user'], body: EntryBody): Promise<Saved> {
  const settings = completeSettings(tool, pick(tool, body), undefined)
  const warning = await tool.admit?.(settings, kit, undefined, user)
  const id = randomUUID()
  const at = kit.now()
  const status = body.status ?? true
  const issued = tool.issue?.(kit)
  const address = issued?.address ?? null
  const ownerId = await transact(kit.db, async (on) => {
    const entries = entryStore(kit.db, on)
    const ownerId = await ownerOf(entries, user, body.owner, user)
    await entries.holdOwner(ownerId)
    if (!seesAll(user)) await entries.assertRoom(ownerId)
    const kept = { ...sealSettings(tool, settings, undefined, kit), ...issued?.kept }
    await entries.insert({
      id,
      tool: tool.contract.id,
      ownerId,
      status,
      settings: kept,
      address,
      at,
      changedBy: user.id,
    })
    await tool.follow?.(id, settings, undefined, on, kit)
    if (status && tool.schedule) await kit.jobs.plan({ id: turnJob(id), kind: 'turn', entryId: id, dueAt: at }, on)
    return ownerId
  })
  kit.events.publish([changed(tool, id, ownerId)])
  kit.jobs.wake()
  return { id, warning }
}

/**
 * Changes what the body names, unless the entry was edited since `ifUpdatedAt`; what stays as it was writes nothing. A
 * new address or a new start is due now, a new interval counts from the last run.
 */
export async function changeEntry(
  kit: Kit,
  tool: AnyEntryTool,
  user: Caller['user'],
  id: string,
  body: EntryBody,
): Promise<Changed> {
  const isOutdated = ({ updatedAt }: StoredEntry) => body.ifUpdatedAt !== undefined && body.ifUpdatedAt !== updatedAt
  const outdated = { id, warning: undefined, outdated: true }
  const known = await entryStore(kit.db).get(tool.contract.id, id, user)
  if (isOutdated(known)) return outdated
  const before = openSettings(tool, known.settings, kit)
  const wanted = completeSettings(tool, pick(tool, body), before)
  const warning = isDeepStrictEqual(wanted, before) ? undefined : await tool.admit?.(wanted, kit, before, user)
  const owners = await transact(kit.db, async (on) => {
    const entries = entryStore(kit.db, on)
    await entries.hold(id)
    const entry = await entries.get(tool.contract.id, id, user)
    if (isOutdated(entry)) return undefined
    const present = openSettings(tool, entry.settings, kit)
    const settings = completeSettings(tool, pick(tool, body), present)
    const status = body.status ?? entry.status
    const ownerId = await ownerOf(entries, user, body.owner, { id: entry.ownerId, email: entry.owner })
    const isSame = status === entry.status && ownerId === entry.ownerId && isDeepStrictEqual(settings, present)
    if (isSame) return new Set<string>()
    if (ownerId !== entry.ownerId) await entries.holdOwner(ownerId)
    const kept = { ...Object(entry.settings), ...sealSettings(tool, settings, entry.settings, kit) }
    const at = laterThan(entry.updatedAt, kit.now())
    await entries.update(id, { status, settings: kept, ownerId, at, changedBy: user.id })
    await tool.follow?.(id, settings, present, on, kit)
    await replan(kit, tool, entry, { status, settings }, on)
    return new Set([entry.ownerId, ownerId])
  })
  if (!owners) return outdated
  kit.events.publish([...owners].map((ownerId) => changed(tool, id, ownerId)))
  kit.jobs.wake()
  return { id, warning, outdated: false }
}

export async function removeEntry(kit: Kit, tool: AnyEntryTool, user: Caller['user'], id: string) {
  const ownerId = await transact(kit.db, async (on) => {
    const entries = entryStore(kit.db, on)
    await entries.hold(id)
    const entry = await entries.get(tool.contract.id, id, user)
    await entries.remove(id)
    return entry.ownerId
  })
  kit.events.publish([changed(tool, id, ownerId)])
}

/** Runs an entry now, beside its turns. Throws a 409 while its owner's account is not active, a 429 when it is asked for too often. */
export async function runEntryNow(kit: Kit, tool: AnyEntryTool, user: Caller['user'], id: string) {
  // Nobody uses up the runs of an entry that they may not see.
  await entryStore(kit.db).get(tool.contract.id, id, user)
  kit.visitLimits.takeRun(user.id, id)
  await transact(kit.db, async (on) => {
    const entries = entryStore(kit.db, on)
    await entries.hold(id)
    const { ownerActive } = await entries.get(tool.contract.id, id, user)
    if (!ownerActive) throw new Fault(409, "The owner's account is not active, so this entry rests.")
    await kit.jobs.add({ id: nowJob(id), kind: 'now', entryId: id, dueAt: kit.now() }, on)
  })
  kit.jobs.wake()
}

async function replan(
  kit: Kit,
  { schedule }: AnyEntryTool,
  before: StoredEntry,
  after: { status: boolean; settings: Record<string, unknown> },
  on: Kit['db']['q'],
) {
  if (!schedule) return
  const id = turnJob(before.id)
  if (!after.status) return kit.jobs.cancel(id, on)
  const at = kit.now()
  const plan = (dueAt: number) => kit.jobs.plan({ id, kind: 'turn', entryId: before.id, dueAt, plannedAt: at }, on)
  const old = Object(before.settings)
  if (!before.status || schedule.subject(old) !== schedule.subject(after.settings)) return plan(at)
  const every = schedule.every(after.settings, kit.config)
  if (every === schedule.every(old, kit.config)) return
  // A last run that is yet to come was before the clock was set back.
  return plan(Math.max(at, Math.min(at, before.lastRun?.timestamp ?? 0) + every))
}

async function ownerOf(
  entries: ReturnType<typeof entryStore>,
  user: Caller['user'],
  wanted: string | undefined,
  present: { id: string; email: string },
): Promise<string> {
  if (wanted === undefined || wanted === present.email) return present.id
  if (!seesAll(user)) throw invalid('owner', 'Only somebody with Admin Access to the tools may set the owner.')
  return entries.ownerByEmail(wanted)
}

const pick = (tool: AnyEntryTool, body: EntryBody) =>
  Object.fromEntries(
    Object.keys(tool.contract.Settings.shape).flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  )

/** That an entry is no longer what a screen shows of it. */
export const changed = (tool: Pick<AnyEntryTool, 'contract'>, id: string, ownerId: string): LiveEvent => ({
  type: 'entry',
  to: { userId: ownerId, role: ['Tools', 2] },
  data: { tool: tool.contract.id, id },
})
