import { useEffect, useState } from 'react'

/** True once something has been going on for longer than this patience (ms). */
export function useSlow(busy: boolean, patience = 200): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) {
      setSlow(false)
      return
    }
    const timer = setTimeout(() => setSlow(true), patience)
    return () => clearTimeout(timer)
  }, [busy, patience])
  return slow
}
