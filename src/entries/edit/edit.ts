import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../platform/context.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import { transact } from '../../platform/db/transact.ts'
import type { ActingUser } from '../../platform/http/access/actor.ts'
import type { Caller } from '../../platform/http/app.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import { completeSettings, openSettings, runNowRefusal } from '../settings.ts'
import { entryStore, nowJob } from '../store.ts'
import { entryChanged } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import {
  auditOthersEntry,
  type EntryBody,
  editOf,
  insertEntry,
  isOutdated,
  pickSettings,
  updateEntry,
} from './write.ts'

type Saved = { id: string; warning: string | undefined }

/** `outdated`: edited after `ifUpdatedAt`, so nothing was written. `unchanged`: the entry already had these values. */
type Changed = Saved & { outdated: boolean; unchanged: boolean; updatedAt: Instant }

export const editedMeanwhileMessage = 'This entry was edited in the meantime.'

/** Also creates the first turn, due immediately, in the same transaction. */
export async function createEntry(
  context: Context,
  tool: AnyEntryToolServer,
  by: ActingUser,
  body: EntryBody,
): Promise<Saved> {
  const settings = completeSettings(tool, { changes: pickSettings(tool, body), isHandedOver: false }, undefined)
  const warning = await tool.validate?.(settings, context, undefined, by.user)
  const { id, ownerId } = await transact(context.db, (tx) => insertEntry(context, tx, tool, by, { body, settings }))
  context.events.publish([entryChanged(tool.contract.id, id, ownerId, 'created')])
  context.jobs.wake()
  return { id, warning }
}

/**
 * Applies the fields in the body; writes nothing if nothing changes, or if the entry was edited after `ifUpdatedAt`.
 * A new URL or switching it on makes it due immediately; a new interval counts from the last run. Once Run now is used
 * up, a run that switching on or a new interval makes due waits at least a minute.
 */
export async function changeEntry(
  context: Context,
  tool: AnyEntryToolServer,
  by: ActingUser,
  id: string,
  body: EntryBody,
): Promise<Changed> {
  const { user } = by
  const stored = await entryStore(context.db).get(tool.contract.id, id, user)
  const outdated = { id, warning: undefined, outdated: true, unchanged: true, updatedAt: stored.updatedAt }
  if (isOutdated(stored, body)) return outdated
  const before = openSettings(tool, stored.settings, context)
  const after = completeSettings(tool, editOf(tool, body, stored), before)
  const warning = isDeepStrictEqual(after, before) ? undefined : await tool.validate?.(after, context, before, user)
  const written = await transact(context.db, (tx) =>
    updateEntry(context, tx, tool, by, { id, body, validated: before }),
  )
  // Edited since it was read: the result of both edits must be valid, too.
  if (!written) return changeEntry(context, tool, by, id, body)
  const { owners, updatedAt } = written
  context.events.publish([...owners].map((ownerId) => entryChanged(tool.contract.id, id, ownerId)))
  context.jobs.wake()
  return { id, warning, outdated: false, unchanged: owners.size === 0, updatedAt }
}

export async function removeEntry(context: Context, tool: AnyEntryToolServer, by: ActingUser, id: string) {
  const ownerId = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const entry = await entries.get(tool.contract.id, id, by.user)
    await tool.beforeRemove?.([id], tx, context)
    await entries.remove(id)
    await auditOthersEntry(context, tx, by, 'entry.delete', { tool, id, name: entry.name, ownerId: entry.ownerId })
    return entry.ownerId
  })
  context.events.publish([entryChanged(tool.contract.id, id, ownerId, 'deleted')])
}

/** Returns since when a turn under way waits for its host. Throws a 409 if it may not run, a 429 if too often. */
export async function runEntryNow(context: Context, tool: AnyEntryToolServer, user: Caller['user'], id: string) {
  // Check access first: users must not use up the run limit of an entry that they can't see.
  await entryStore(context.db).get(tool.contract.id, id, user)
  context.visitLimits.consumeRun(user.id, id)
  const waitingSince = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const entry = await entries.get(tool.contract.id, id, user)
    const { isUnderWay, waitingSince } = entry
    const why = runNowRefusal(tool, entry, context)
    if (why !== undefined) throw new HttpError(409, why)
    const at = context.now()
    if (!isUnderWay) await context.jobs.addSooner([{ id: nowJob(id), kind: 'now', entryId: id, dueAt: at }], at, tx)
    return waitingSince
  })
  context.jobs.wake()
  return { waitingSince }
}
