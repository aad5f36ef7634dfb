import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
/** Whether the live stream is not open, open, or lost. */
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

/** Milliseconds between two refreshes of data that changes by itself; false while the live stream reports changes. */
export const useRefreshEvery = (): number | false => (useStream() === 'up' ? false : 5_000)

/** Whether the live stream is lost. */
export const useConnectionLost = (): boolean => useStream() === 'lost'
