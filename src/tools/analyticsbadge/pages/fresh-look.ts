import { useEffect, useState } from 'react'
import { type Milliseconds, minutes } from '../../../shared/time.ts'

/** Views come from elsewhere, so screens reload them on their own. */
export const lookEvery: Milliseconds = minutes(1)

/** Counts up every minute, and whenever the user returns to this tab. */
export function useFreshLook(): number {
  const [look, setLook] = useState(0)
  useEffect(() => {
    const again = () => document.visibilityState === 'visible' && setLook((count) => count + 1)
    const timer = setInterval(again, lookEvery)
    document.addEventListener('visibilitychange', again)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [])
  return look
}
