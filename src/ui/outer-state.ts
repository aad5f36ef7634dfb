import { useSyncExternalStore } from 'react'

/** A value that no component owns; those that `use` it are drawn again when it is set to another. */
export function outerState<Value>(first: Value) {
  let value = first
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get,
    set(next: Value) {
      value = next
      for (const listener of listeners) listener()
    },
    use: (): Value => useSyncExternalStore(subscribe, get),
  }
}
