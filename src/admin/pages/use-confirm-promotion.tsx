import { type ReactNode, useRef } from 'react'
import { raiseQuestion } from '../../people/pages/role-labels.ts'
import type { AccessLevel } from '../../shared/user.ts'
import { useConfirmModal } from '../../ui/components/confirm-button.tsx'

/** `isUnsure` returns true if a save raises the level above `from` and waits for a confirmation, which calls `save`. */
export function useConfirmPromotion(options: { who: string; from: AccessLevel; to: AccessLevel; save: () => void }): {
  isUnsure: () => boolean
  question: ReactNode
} {
  const { who, from, to, save } = options
  const { Dialog, open, close, opener } = useConfirmModal()
  /** The confirmed level; retrying the save does not ask again. */
  const sureOf = useRef<AccessLevel>(undefined)
  const isUnsure = () => {
    if (to <= from) sureOf.current = undefined
    if (to <= from || sureOf.current === to) return false
    opener.onClick()
    return true
  }
  const question = Dialog && to !== 0 && (
    <Dialog
      {...raiseQuestion(who, to)}
      open={open}
      busy={false}
      onClose={close}
      onConfirm={() => {
        sureOf.current = to
        close()
        save()
      }}
    />
  )
  return { isUnsure, question }
}
