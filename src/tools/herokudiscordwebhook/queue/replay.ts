import { randomUUID } from 'node:crypto'
import { entryStore } from '../../../entries/store.ts'
import { changedEntry, type StoredEntry } from '../../../entries/stored-entry.ts'
import type { Context } from '../../../platform/context.ts'
import { lockEntry } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { herokudiscordwebhook, type ReplayBody } from '../contract.ts'
import type { NextId } from '../event/event-ids.ts'
import { testEvent } from '../message/message.ts'
import { keepWithinBounds } from './bounds.ts'
import { moveOn } from './delivery-job.ts'
import { relayStore } from './store.ts'

const tool = herokudiscordwebhook.id

/** Sends deliveries to Discord again, in the order in which their events arrived; answers how many. */
export async function replay(context: Context, user: Caller['user'], { id, deliveries, state, since }: ReplayBody) {
  const isDefault = deliveries === undefined && since === undefined
  const chosen = { ids: deliveries, since, parkedOnly: state === 'held' || isDefault }
  return send(context, user, id, async (tx) => relayStore(context.db, tx).reopen(id, chosen))
}

/** Sends a test message, after whatever is waiting. */
export async function sendTest(context: Context, user: Caller['user'], id: string, nextId: NextId): Promise<void> {
  context.visitLimits.takeCheck(user.id)
  const { id: eventId, at } = nextId()
  await send(context, user, id, async (tx) => {
    const event = { id: eventId, entryId: id, eventId: `test-${randomUUID()}`, ...testEvent }
    const more = { state: 'accepted', receivedAt: at, note: null, payload: '{}', collapseKey: null } as const
    await relayStore(context.db, tx).insert([{ ...event, ...more }])
    const refused = await keepWithinBounds(context.db, tx, [{ ...event, ...more }])
    if (refused.size > 0) throw new HttpError(409, 'Too many events of this entry are waiting for Discord.')
    return 1
  })
}

/** A replay or test unblocks the webhook: its user has probably fixed it, so Discord is asked again. */
async function send(
  context: Context,
  user: Caller['user'],
  id: string,
  choose: (tx: Queries) => Promise<number>,
): Promise<number> {
  const { count, ownerId } = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const entry = await entries.get(tool, id, user)
    checkOwner(entry)
    const count = await choose(tx)
    await relayStore(context.db, tx).unblock(id)
    await moveOn(context.db, tx, id, { at: context.now() })
    return { count, ownerId: entry.ownerId }
  })
  context.events.publish([changedEntry(herokudiscordwebhook.id, id, ownerId)])
  context.jobs.wake()
  return count
}

function checkOwner({ ownerActive }: StoredEntry) {
  if (!ownerActive) throw new HttpError(409, "The owner's account is not active, so this entry is paused.")
}
