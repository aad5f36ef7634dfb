import { type ComponentType, useState } from 'react'
import { later } from './idle.ts'

/** A dialog that `later` fetches, with the state of whether it is open and the props of the button that opens it. */
export function laterDialog<Props>(fetchComponent: () => Promise<ComponentType<Props>>) {
  const useLater = later(fetchComponent)
  return function useDialog() {
    const { Component, preload, load } = useLater()
    const [open, setOpen] = useState(false)
    const show = () => void load().then(setOpen)
    const opener = { 'aria-haspopup': 'dialog', onPointerEnter: preload, onFocus: preload, onClick: show } as const
    return { Dialog: Component, open, close: () => setOpen(false), opener }
  }
}
