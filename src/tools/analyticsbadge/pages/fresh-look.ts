import { useEffect, useState } from 'react'
import type { Milliseconds } from '../../../shared/time.ts'

/** Counts up as often as this, and whenever somebody comes back to this tab. */
export function useFreshLook(every: Milliseconds): number {
  const [look, setLook] = useState(0)
  useEffect(() => {
    const again = () => document.visibilityState === 'visible' && setLook((count) => count + 1)
    const timer = setInterval(again, every)
    document.addEventListener('visibilitychange', again)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [every])
  return look
}
