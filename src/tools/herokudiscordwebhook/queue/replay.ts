import { randomUUID } from 'node:crypto'
import { changed } from '../../../entries/edit.ts'
import { entryStore, type StoredEntry } from '../../../entries/store.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Kit } from '../../../platform/kit.ts'
import { Fault } from '../../../shared/fault.ts'
import { herokudiscordwebhook, type ReplayBody } from '../contract.ts'
import type { NextId } from '../inbound/event-ids.ts'
import { testEvent } from '../outbound/test-message.ts'
import { moveOn } from './delivery-job.ts'
import { relayStore } from './store.ts'

const tool = herokudiscordwebhook.id

/** Puts deliveries on their way to Discord again, in the order in which their events came. Answers how many. */
export async function replay(kit: Kit, user: Caller['user'], { id, deliveries, state, since }: ReplayBody) {
  const nothingSaid = deliveries === undefined && since === undefined
  const chosen = { ids: deliveries, since, heldOnly: state === 'held' || nothingSaid }
  return send(kit, user, id, async (on) => relayStore(kit.db, on).reopen(id, chosen))
}

/** Sends a message that says it is a test, behind whatever is on its way. */
export async function sendTest(kit: Kit, user: Caller['user'], id: string, nextId: NextId): Promise<void> {
  kit.visitLimits.takeCheck(user.id)
  const { id: eventId, at } = nextId()
  await send(kit, user, id, async (on) => {
    const event = { id: eventId, entryId: id, eventId: `test-${randomUUID()}`, ...testEvent }
    const more = { state: 'accepted', receivedAt: at, note: null, payload: '{}', collapseKey: null } as const
    await relayStore(kit.db, on).insert([{ ...event, ...more }])
    return 1
  })
}

/** Whoever sends again has seen to the webhook, so Discord is asked again whether it takes messages. */
async function send(
  kit: Kit,
  user: Caller['user'],
  id: string,
  choose: (on: Queries) => Promise<number>,
): Promise<number> {
  const { count, ownerId } = await transact(kit.db, async (on) => {
    const entries = entryStore(kit.db, on)
    await entries.hold(id)
    const entry = await entries.get(tool, id, user)
    insistOnOwner(entry)
    const count = await choose(on)
    await relayStore(kit.db, on).unblock(id)
    await moveOn(kit.db, on, id, { at: kit.now() })
    return { count, ownerId: entry.ownerId }
  })
  kit.events.publish([changed({ contract: herokudiscordwebhook }, id, ownerId)])
  kit.jobs.wake()
  return count
}

function insistOnOwner({ ownerActive }: StoredEntry) {
  if (!ownerActive) throw new Fault(409, "The owner's account is not active, so this entry rests.")
}
