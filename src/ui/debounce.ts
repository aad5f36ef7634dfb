import { useEffect, useState } from 'react'
import type { Milliseconds } from '../shared/time.ts'

/** The value once it has not changed for this long. */
export function useDebounced<Value>(value: Value, wait: Milliseconds): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), wait)
    return () => clearTimeout(timer)
  }, [value, wait])
  return debounced
}

/** Whether something has been going on for longer than this. */
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
