import { useEffect, useState } from 'react'
import type { Milliseconds } from '../shared/time.ts'

/** The value, updated once it has stopped changing for `wait` ms. */
export function useDebounced<Value>(value: Value, wait: Milliseconds): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), wait)
    return () => clearTimeout(timer)
  }, [value, wait])
  return debounced
}

/** Whether `busy` has been true for longer than `wait` ms. */
export function useSlow(busy: boolean, wait: Milliseconds = 200): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) return
    const timer = setTimeout(() => setSlow(true), wait)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [busy, wait])
  return busy && slow
}
