import { useEffect, useState } from 'react'
import type { Milliseconds } from '../../../shared/time.ts'

/** The value once it has not changed for this long. */
export function useSettled<Value>(value: Value, patience: Milliseconds): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), patience)
    return () => clearTimeout(timer)
  }, [value, patience])
  return settled
}
