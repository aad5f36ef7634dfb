import type { ReactNode } from 'react'
import { warn } from '../toasts.ts'
import { Button } from '../ui/button.tsx'

export const warnOfMissing = (missing: readonly string[]) => warn('Missing fields:', missing)

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
