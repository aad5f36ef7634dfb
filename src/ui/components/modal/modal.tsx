import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useEffect, useRef } from 'react'
import { isShortcut } from '../../keys.ts'
import surface from '../surface.module.css'
import css from './modal.module.css'

const shakeDuration = 100

/** The open dialogs, with the topmost one last. */
const openDialogs: unknown[] = []

/** A dialog over the page. Escape closes it; a press on the backdrop, or Ctrl+S without `onSave`, only shakes it. */
export function Modal(props: {
  open: boolean
  title: ReactNode
  description?: ReactNode
  onClose: () => void
  onSave?: () => void
  /** Returns the element to focus on close; true, or no callback, restores the previous focus. */
  finalFocus?: () => HTMLElement | true
  wide?: boolean
  children: ReactNode
}) {
  const box = useRef<HTMLDivElement>(null)
  const { open, onSave } = props
  const shake = () => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (!calm)
      box.current?.animate(
        [0, -6, 6, -3, 0].map((x) => ({ transform: `translateX(${x}px)` })),
        shakeDuration,
      )
  }
  useEffect(() => {
    if (!open) return
    openDialogs.push(box)
    return () => void openDialogs.splice(openDialogs.indexOf(box), 1)
  }, [open])
  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      if (openDialogs.at(-1) !== box) return
      const saves = isShortcut(event, 's')
      const closes = event.key === 'Escape' && openDialogs.length > 1
      if (!saves && !closes) return
      event.preventDefault()
      event.stopImmediatePropagation()
      if (closes) props.onClose()
      else if (onSave) onSave()
      else shake()
    }
    // In the capture phase, so that the page below doesn't save.
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  })
  return (
    <Dialog.Root open={open} disablePointerDismissal onOpenChange={(next) => !next && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={`${surface.scrim} ${css.scrim}`} onPointerDown={shake} />
        <Dialog.Viewport
          className={css.viewport}
          onPointerDown={(event) => event.target === event.currentTarget && shake()}
        >
          <Dialog.Popup
            className={`${surface.raised} ${surface.dialog} ${css.dialog} ${props.wide ? css.wide : ''}`}
            ref={box}
            finalFocus={props.finalFocus}
          >
            <Dialog.Title className={css.title}>{props.title}</Dialog.Title>
            {props.description && <Dialog.Description className={css.words}>{props.description}</Dialog.Description>}
            {props.children}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export const ModalActions = ({ children }: { children: ReactNode }) => <div className={css.actions}>{children}</div>
