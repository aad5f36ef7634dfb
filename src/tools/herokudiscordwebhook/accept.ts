import { changed } from '../../entries/edit.ts'
import { transact } from '../../server/db/transact.ts'
import type { Kit } from '../../server/kit.ts'
import type { Milliseconds } from '../../shared/time.ts'
import { collapseKeyOf } from './collapse.ts'
import { herokudiscordwebhook } from './contract.ts'
import type { HerokuEvent } from './event.ts'
import type { NextId } from './event-ids.ts'
import type { NewEvent } from './store.ts'
import { writeEvents } from './write-events.ts'

/** An event that Heroku has delivered to an entry; `ignored` says why it goes no further. */
export type Arrival = { entryId: string; event: HerokuEvent; payload: string; ignored: string | null }
type Waiting = { event: NewEvent; done: (known: boolean) => void; failed: (error: unknown) => void }

const largest = 200
/** Looking for due work takes longer than to write an event. */
const wakeEvery: Milliseconds = 50

/** Commits events with the jobs that deliver them. Those that arrive while others are written share one transaction. */
export function acceptor(kit: Kit, nextId: NextId): (arrival: Arrival) => Promise<boolean> {
  let waiting: Waiting[] = []
  let writing = false
  const wake = seldom(kit.jobs.wake, wakeEvery)

  const writeAll = async () => {
    writing = true
    while (waiting.length > 0) {
      await grown()
      const batch = waiting.slice(0, largest)
      waiting = waiting.slice(largest)
      const arrived = batch.map(({ event }) => event)
      await transact(kit.db, (on) => writeEvents(kit, on, arrived)).then(
        ({ owners, isDue }) => {
          if (isDue) wake()
          for (const { event, done } of batch) done(owners.has(event.entryId))
          kit.events.publish(
            [...owners].map(([id, ownerId]) => changed({ contract: herokudiscordwebhook }, id, ownerId)),
          )
        },
        (error: unknown) => {
          for (const { failed } of batch) failed(error)
        },
      )
    }
    writing = false
  }

  /** While events pour in, a batch may grow for a few turns of the event loop: each commit waits for the disk. */
  const grown = async () => {
    for (let turn = 0, before = 0; turn < 4 && waiting.length > before && waiting.length < largest; turn += 1) {
      before = waiting.length
      await new Promise(setImmediate)
    }
  }

  /** Resolves once the event is on disk, whatever becomes of it; false when its entry is gone. */
  return (arrival) =>
    new Promise((done, failed) => {
      waiting.push({ event: newEvent(arrival, nextId()), done, failed })
      if (!writing) void writeAll()
    })
}

const newEvent = ({ entryId, event, payload, ignored }: Arrival, { id, at }: { id: string; at: number }): NewEvent => ({
  id,
  entryId,
  eventId: event.id,
  resource: event.entity,
  action: event.action,
  state: ignored === null ? 'accepted' : 'ignored',
  receivedAt: at,
  note: ignored,
  payload,
  collapseKey: collapseKeyOf(event, entryId) ?? null,
})

/** Calls at once, and of the calls that follow within this time only one, at its end. */
function seldom(call: () => void, every: Milliseconds): () => void {
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
