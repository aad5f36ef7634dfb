import { LRUCache } from 'lru-cache'
import { singleFlight } from '../../shared/async.ts'
import type { Milliseconds } from '../../shared/time.ts'
import type { LiveEvents } from './live-events.ts'

const mostDrops = 10_000

type Owned = { ownerId: string }

/** Briefly caches values for many visitors. An edit by the owner, or of their rights, drops them on all instances. */
export function snapshots<Value extends Owned>(
  { events, elapsed }: { elapsed: () => Milliseconds; events: Pick<LiveEvents, 'subscribe'> },
  { most, keptFor }: { most: number; keptFor: Milliseconds },
) {
  type Snapshot = { value: Value; began: number; at: Milliseconds }
  // `max` would allocate memory for all entries up front.
  const sizeCalculation = () => 1
  const cache = new LRUCache<string, Snapshot>({ maxSize: most, sizeCalculation })
  const share = singleFlight<Snapshot | undefined>()
  /** For each user, the count of all changes as of their latest change. */
  const changed = new LRUCache<string, number>({ maxSize: mostDrops, sizeCalculation })
  let changes = 0
  /** The count of changes as of the last time that some may have been missed. */
  let missed = 0
  events.subscribe(({ type, to }) => {
    if (type === 'run' || type === 'inbox') return
    changes += 1
    if (type === 'missed') missed = changes
    else if (to.userId !== undefined) changed.set(to.userId, changes)
  })
  const isCurrent = ({ value, began }: Snapshot) => Math.max(missed, changed.get(value.ownerId) ?? 0) <= began

  return async (key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> => {
    const cached = cache.get(key)
    if (cached && isCurrent(cached) && elapsed() - cached.at < keptFor) return cached.value
    const loadSnapshot = async (): Promise<Snapshot | undefined> => {
      const [began, at] = [changes, elapsed()]
      const value = await load()
      return value && { value, began, at }
    }
    const found = await share(key, loadSnapshot)
    // The value changed during the shared lookup.
    const snapshot = found && !isCurrent(found) ? await share(key, loadSnapshot) : found
    if (snapshot) cache.set(key, snapshot)
    return snapshot?.value
  }
}
