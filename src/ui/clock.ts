import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { minutes, seconds } from '../shared/time.ts'
import { formatAge } from './format-time.ts'
import { timeNow } from './time-now.ts'

/** Instants (ms) on screen, keyed by the callback that rerenders the text depending on them. */
const instants = new Map<() => void, number>()
let timer: ReturnType<typeof setTimeout> | undefined
/** Milliseconds between two ticks; infinite while no instant is shown or the tab is hidden. */
let period = Number.POSITIVE_INFINITY

const periodFor = (at: number) => (Math.abs(timeNow() - at) < minutes(1.5) ? seconds(1) : minutes(1))

function setPeriod(next: number) {
  clearTimeout(timer)
  period = document.visibilityState === 'visible' ? next : Number.POSITIVE_INFINITY
  if (period < Number.POSITIVE_INFINITY) timer = setTimeout(tick, period)
}

function tick() {
  for (const draw of [...instants.keys()]) draw()
  setPeriod(Math.min(...[...instants.values()].map(periodFor)))
}

document.addEventListener('visibilitychange', tick)

/** A value derived from an instant (ms) and the current time: updated every second within 90 s, then every minute. */
export function useTimeDependent<Said extends string | boolean>(
  at: number | null | undefined,
  words: () => Said,
): Said {
  const subscribe = useCallback(
    (draw: () => void) => {
      if (at === null || at === undefined) return () => {}
      instants.set(draw, at)
      if (periodFor(at) < period) setPeriod(periodFor(at))
      return () => {
        instants.delete(draw)
        if (instants.size === 0) setPeriod(Number.POSITIVE_INFINITY)
      }
    },
    [at],
  )
  return useSyncExternalStore(subscribe, words)
}

/** The current time (ms), updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(timeNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(timeNow()), seconds(1))
    return () => clearInterval(timer)
  }, [])
  return now
}

export const useIsPast = (at: number | null): boolean => useTimeDependent(at, () => at !== null && at <= timeNow())

export const useAgo = (at: number | null | undefined): string => useTimeDependent(at, () => formatAge(at))
