import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'

/** How far back one can ask. */
export const recently: Milliseconds = seconds(10)

/** The latest events, for screens that asked for their data just before they listen. `now` only ever goes forward. */
export function recentEvents({ now = () => performance.now(), most = 2_000 } = {}) {
  const kept: { event: LiveEvent; at: Milliseconds }[] = []
  /** All that came later is kept. */
  let begin = now()

  function dropOld() {
    while (kept[0] && (kept.length > most || kept[0].at < now() - recently)) begin = kept.shift()!.at
  }

  return {
    add(event: LiveEvent) {
      kept.push({ event, at: now() })
      dropOld()
    },
    /** Those of this time, in order; undefined if that isn't known: they were too many, or it is longer than there were any. */
    of(time: Milliseconds): LiveEvent[] | undefined {
      const since = now() - time
      return since > begin ? kept.flatMap(({ event, at }) => (at >= since ? [event] : [])) : undefined
    },
  }
}
