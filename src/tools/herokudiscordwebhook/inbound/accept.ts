import { changedEntry } from '../../../entries/stored-entry.ts'
import type { Context } from '../../../platform/context.ts'
import { groupCommit } from '../../../platform/db/group-commit.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { collapseKeyOf } from './collapse.ts'
import type { HerokuEvent } from './event/event.ts'
import type { NextId } from './event/event-ids.ts'
import type { NewEvent } from './insert-events.ts'
import { writeEvents } from './write-events.ts'

/** An event that Heroku delivered to an entry; `ignored` says why it isn't forwarded, `card` whether a deploy is one message there. */
type Arrival = { entryId: string; event: HerokuEvent; payload: string; ignored: string | null; card: boolean }

/** How many events share a transaction. */
const most = 200
/** Looking for due work takes longer than writing an event. */
const wakeEvery: Milliseconds = 50

/** What became of an arrival: it is on disk, its entry is gone, or too many events of its entry wait for Discord. */
type Accepted = 'written' | 'gone' | 'full'

/** Commits events with the jobs that deliver them; resolves once an event is on disk. */
export function acceptor(context: Context, nextId: NextId): (arrival: Arrival) => Promise<Accepted> {
  const wake = throttle(context.jobs.wake, wakeEvery)
  const arrivals = groupCommit<NewEvent, Accepted>(context.db, { most, write, watch: context.health.watch('relay') })

  async function write(events: readonly NewEvent[]): Promise<Accepted[]> {
    const { owners, refused, isDue } = await transact(context.db, (tx) => writeEvents(context, tx, events))
    if (isDue) wake()
    context.events.publish([...owners].map(([id, ownerId]) => changedEntry(herokudiscordwebhook.id, id, ownerId)))
    return events.map(({ id, entryId }) => {
      if (refused.has(id)) return 'full'
      return owners.has(entryId) ? 'written' : 'gone'
    })
  }

  return (arrival) => arrivals.add(newEvent(arrival, nextId()))
}

const newEvent = (
  { entryId, event, payload, ignored, card }: Arrival,
  { id, at }: { id: string; at: number },
): NewEvent => ({
  id,
  entryId,
  eventId: event.id,
  resource: event.entity,
  action: event.action,
  state: ignored === null ? 'accepted' : 'ignored',
  receivedAt: at,
  note: ignored,
  payload,
  collapseKey: collapseKeyOf(event, entryId, { card }) ?? null,
})

/** Calls at once; further calls within this time become one, at its end. */
function throttle(call: () => void, every: Milliseconds): () => void {
  let resting = false
  let missed = false
  const now = () => {
    resting = true
    missed = false
    call()
    setTimeout(() => {
      resting = false
      if (missed) now()
    }, every).unref()
  }
  return () => {
    missed = resting
    if (!resting) now()
  }
}
