import { type ReactNode, useRef, useState } from 'react'
import type { AccessLevel } from '../../shared/user.ts'
import { lazyWhenIdle } from '../../ui/navigation/lazy.ts'

const useModal = lazyWhenIdle(async () => (await import('./raise-modal.tsx')).RaiseModal)

/**
 * Asks once more before a save gives somebody a higher level of Admin than `from`. `isUnsure` is true if the save has to
 * wait for the answer, which then calls `save`.
 */
export function useRaiseQuestion(options: { who: string; from: AccessLevel; to: AccessLevel; save: () => void }): {
  isUnsure: () => boolean
  question: ReactNode
} {
  const { who, from, to, save } = options
  const { Component, load } = useModal()
  const [open, setOpen] = useState(false)
  /** The level that was confirmed; a save that is tried again needs no other answer. */
  const sureOf = useRef<AccessLevel>(undefined)
  const isUnsure = () => {
    if (to <= from) sureOf.current = undefined
    if (to <= from || sureOf.current === to) return false
    void load().then(setOpen)
    return true
  }
  const question = Component && to !== 0 && (
    <Component
      open={open}
      who={who}
      level={to}
      busy={false}
      onClose={() => setOpen(false)}
      onConfirm={() => {
        sureOf.current = to
        setOpen(false)
        save()
      }}
    />
  )
  return { isUnsure, question }
}
