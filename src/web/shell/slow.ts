import { useEffect, useState } from 'react'

const patience = 200

/** True once something has been going on for more than 200 ms. */
export function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) {
      setSlow(false)
      return
    }
    const timer = setTimeout(() => setSlow(true), patience)
    return () => clearTimeout(timer)
  }, [busy])
  return slow
}
