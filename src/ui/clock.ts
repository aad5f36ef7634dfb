import { useCallback, useSyncExternalStore } from 'react'
import { minutes, seconds } from '../shared/time.ts'
import { formatAge } from './format-time.ts'

/** What is on screen that tells of an instant, by how to draw it anew. */
const shown = new Map<() => void, number>()
let timer: ReturnType<typeof setTimeout> | undefined
/** Milliseconds until the next look; endless while nothing is shown or nobody looks. */
let pace = Number.POSITIVE_INFINITY

const paceFor = (at: number) => (Math.abs(Date.now() - at) < minutes(1.5) ? seconds(1) : minutes(1))

function setPace(next: number) {
  clearTimeout(timer)
  pace = document.visibilityState === 'visible' ? next : Number.POSITIVE_INFINITY
  if (pace < Number.POSITIVE_INFINITY) timer = setTimeout(tick, pace)
}

function tick() {
  for (const draw of [...shown.keys()]) draw()
  setPace(Math.min(...[...shown.values()].map(paceFor)))
}

document.addEventListener('visibilitychange', tick)

/** What is said of an instant (ms), kept true by one clock for all: each second while it is recent, else each minute. */
export function useWords<Said extends string | boolean>(at: number | null | undefined, words: () => Said): Said {
  const subscribe = useCallback(
    (draw: () => void) => {
      if (at === null || at === undefined) return () => {}
      shown.set(draw, at)
      if (paceFor(at) < pace) setPace(paceFor(at))
      return () => {
        shown.delete(draw)
        if (shown.size === 0) setPace(Number.POSITIVE_INFINITY)
      }
    },
    [at],
  )
  return useSyncExternalStore(subscribe, words)
}

/** Whether an instant has passed, kept true. */
export const useIsPast = (at: number | null): boolean => useWords(at, () => at !== null && at <= Date.now())

/** How long ago an instant was, kept true. */
export const useAgo = (at: number | null | undefined): string => useWords(at, () => formatAge(at))
