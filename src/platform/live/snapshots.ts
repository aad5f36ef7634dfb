import { LRUCache } from 'lru-cache'
import { singleFlight } from '../../shared/async.ts'
import type { Milliseconds } from '../../shared/time.ts'
import type { LiveEvents } from './live-events.ts'

const mostDrops = 10_000

/** What is known of something that belongs to a user. */
type Owned = { ownerId: string }

/**
 * Keeps for a short time what many strangers ask for at once, so that a thousand of them cost one look-up. An edit by its
 * owner, or of the owner's own rights, ends that on every instance; what isn't there is asked for anew each time.
 */
export function snapshots<Value extends Owned>(
  { events, elapsed }: { elapsed: () => Milliseconds; events: Pick<LiveEvents, 'subscribe'> },
  { most, keptFor }: { most: number; keptFor: Milliseconds },
) {
  type Snapshot = { value: Value; began: number; at: Milliseconds }
  // With `max`, there would be room for all of them from the start.
  const sizeCalculation = () => 1
  const kept = new LRUCache<string, Snapshot>({ maxSize: most, sizeCalculation })
  const share = singleFlight<Snapshot | undefined>()
  /** When something of a user changed, counted in such changes. */
  const changed = new LRUCache<string, number>({ maxSize: mostDrops, sizeCalculation })
  let changes = 0
  /** When changes may have gone unheard. */
  let missed = 0
  events.subscribe(({ type, to }) => {
    if (type === 'run' || type === 'inbox') return
    changes += 1
    if (type === 'missed') missed = changes
    else if (to.userId !== undefined) changed.set(to.userId, changes)
  })
  const isCurrent = ({ value, began }: Snapshot) => Math.max(missed, changed.get(value.ownerId) ?? 0) <= began

  return async (key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    const known = kept.get(key)
    if (known && isCurrent(known) && elapsed() - known.at < keptFor) return known.value
    const look = async (): Promise<Snapshot | undefined> => {
      const [began, at] = [changes, elapsed()]
      const value = await load()
      return value && { value, began, at }
    }
    const found = await share(key, look)
    // It changed while somebody else was looking.
    const snapshot = found && !isCurrent(found) ? await share(key, look) : found
    if (snapshot) kept.set(key, snapshot)
    return snapshot?.value
  }
}
