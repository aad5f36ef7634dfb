import { type ComponentType, useState } from 'react'
import { later } from './idle.ts'

/**
 * A dialog that is fetched as `later` does: the component once it is here, whether it is open, and what the button that
 * opens it is given.
 */
export function laterDialog<Props>(load: () => Promise<ComponentType<Props>>) {
  const useLater = later(load)
  return function useDialog() {
    const { Component, hurry, ask } = useLater()
    const [open, setOpen] = useState(false)
    const show = () => void ask().then(setOpen)
    const opener = { 'aria-haspopup': 'dialog', onPointerEnter: hurry, onFocus: hurry, onClick: show } as const
    return { Dialog: Component, open, close: () => setOpen(false), opener }
  }
}
