import { type ReactNode, useEffect } from 'react'
import { warn, withdraw } from '../toasts.ts'
import { Button } from '../ui/button.tsx'

const missingFields = 'Missing fields:'
export const warnOfMissing = (missing: readonly string[]) => warn(missingFields, missing)

/** Save stays reachable while fields are empty, so that it can say which. */
export function SaveButton({
  missing,
  busy,
  onSave,
  children = 'Save',
}: {
  missing: readonly string[]
  busy: boolean
  onSave: () => void
  children?: ReactNode
}) {
  const incomplete = missing.length > 0
  useEffect(() => {
    if (!incomplete) withdraw(({ kind, message }) => kind === 'warning' && message === missingFields)
  }, [incomplete])
  const tell = () => incomplete && warnOfMissing(missing)
  return (
    <Button
      tone="primary"
      aria-disabled={incomplete || busy}
      onPointerEnter={tell}
      onFocus={tell}
      onClick={() => {
        if (incomplete) tell()
        else if (!busy) onSave()
      }}
    >
      {children}
    </Button>
  )
}
