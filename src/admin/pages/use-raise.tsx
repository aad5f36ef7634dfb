import { type ReactNode, useRef } from 'react'
import { raiseQuestion } from '../../people/pages/role-labels.ts'
import type { AccessLevel } from '../../shared/user.ts'
import { useConfirmModal } from '../../ui/components/confirm-button.tsx'

/**
 * Asks once more before a save gives somebody a higher level of Admin than `from`. `isUnsure` is true if the save has to
 * wait for the answer, which then calls `save`.
 */
export function useRaiseQuestion(options: { who: string; from: AccessLevel; to: AccessLevel; save: () => void }): {
  isUnsure: () => boolean
  question: ReactNode
} {
  const { who, from, to, save } = options
  const { Dialog, open, close, opener } = useConfirmModal()
  /** The level that was confirmed; a save that is tried again needs no other answer. */
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
