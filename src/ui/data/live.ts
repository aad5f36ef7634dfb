import { useSyncExternalStore } from 'react'
import { isRefusal } from './api.ts'

const listeners = new Set<() => void>()
let stream: 'off' | 'up' | 'lost' = 'off'
export function setStream(next: typeof stream) {
  if (stream === next) return
  stream = next
  for (const listener of listeners) listener()
}
const useStream = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => stream,
  )

/**
 * Milliseconds between two refreshes of data that changes by itself; false while the live stream reports changes, and of
 * what was refused: it is asked for again once the user has signed in or got the role.
 */
export function useRefreshEvery(): (query: { state: { error: unknown } }) => number | false {
  const every = useStream() === 'up' ? false : 5_000
  return ({ state: { error } }) => (isRefusal(error) ? false : every)
}

export const useConnectionLost = (): boolean => useStream() === 'lost'
