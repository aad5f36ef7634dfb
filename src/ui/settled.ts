import { useEffect, useState } from 'react'
import type { Milliseconds } from '../shared/time.ts'

/** The value once it has not changed for this long. */
export function useSettled<Value>(value: Value, patience: Milliseconds): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), patience)
    return () => clearTimeout(timer)
  }, [value, patience])
  return settled
}

/** Whether something has been going on for longer than this. */
export function useSlow(busy: boolean, patience: Milliseconds = 200): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) return
    const timer = setTimeout(() => setSlow(true), patience)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [busy, patience])
  return busy && slow
}
