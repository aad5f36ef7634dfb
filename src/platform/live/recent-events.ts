import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'

/** How far back one can ask. */
export const recently: Milliseconds = seconds(10)

/** The latest events, for screens that asked for their data just before they listen. */
export function recentEvents(elapsed: () => Milliseconds, most = 2_000) {
  const kept: { event: LiveEvent; at: Milliseconds }[] = []
  /** All that came later is kept. */
  let begin = elapsed()

  function dropOld() {
    while (kept[0] && (kept.length > most || kept[0].at < elapsed() - recently)) begin = kept.shift()!.at
  }

  return {
    add(event: LiveEvent) {
      kept.push({ event, at: elapsed() })
      dropOld()
    },
    /** What came until now isn't all there was. */
    forget() {
      kept.length = 0
      begin = elapsed()
    },
    /** Those of this time, in order; undefined if that isn't known: they were too many, or it is longer than there were any. */
    of(time: Milliseconds): LiveEvent[] | undefined {
      const since = elapsed() - time
      return since > begin ? kept.flatMap(({ event, at }) => (at >= since ? [event] : [])) : undefined
    },
  }
}
