import { Search } from 'lucide-react'
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { isField, isShortcut, useKeys } from '../keys.ts'
import { lazyWhenIdle } from '../navigation/lazy.ts'
import { areShortcutsOn, bellContainerId, onOpenRequest } from '../shell/open-requests.ts'
import css from '../shell/shell.module.css'

export type PanelProps = {
  open: boolean
  onClose: () => void
  typed: string
  onType: (text: string) => void
  /** Returns the element to focus on close; true restores the previous focus, false leaves the focus alone. */
  finalFocus: () => HTMLElement | boolean
}

/** On a Mac, Ctrl+K in a text field deletes the rest of the line. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The header button that opens the search; Ctrl+K does the same. */
export function createSearchButton(fetchPanel: () => Promise<ComponentType<PanelProps>>) {
  const usePanel = lazyWhenIdle(fetchPanel)
  return function SearchButton() {
    const panel = usePanel()
    const place = document.getElementById(bellContainerId)
    return place && createPortal(<Button {...panel} />, place)
  }
}

const focusNow = (input: HTMLInputElement | null) => input?.focus({ preventScroll: true })

function Button({ Component: Panel, preload, load }: ReturnType<ReturnType<typeof lazyWhenIdle<PanelProps>>>) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const before = useRef<Element>(null)
  const placeBefore = () => {
    const { current } = before
    return current instanceof HTMLElement && current.isConnected && current !== document.body ? current : undefined
  }
  const close = () => {
    setOpen(false)
    if (!Panel) placeBefore()?.focus({ preventScroll: true })
  }
  const ask = () => {
    before.current = document.activeElement
    setTyped('')
    setOpen(true)
    void load().then((isLoaded) => isLoaded || close())
  }
  // A screen that has opened meanwhile may have moved the focus out of the panel.
  const finalFocus = () => document.activeElement?.matches('body, [role=dialog] *') === true && (placeBefore() ?? true)
  useKeys((event) => {
    if (!isShortcut(event, 'k') || (!event.metaKey && isMac && isField(event.target))) return
    event.preventDefault()
    if (open) close()
    // An open dialog has to be answered first.
    else if (!document.querySelector('[role=dialog], [role=alertdialog]')) ask()
  })
  const onAskedFor = useEffectEvent(ask)
  useEffect(() => onOpenRequest('search', onAskedFor), [])
  return (
    <>
      <button
        type="button"
        className={`${css.bell} ${css.search}`}
        aria-label="Find anything"
        aria-keyshortcuts="Control+K Meta+K"
        title={`Find anything (${isMac ? '⌘' : 'Ctrl+'}K)`}
        aria-haspopup="dialog"
        onPointerEnter={preload}
        onFocus={preload}
        onClick={ask}
      >
        <Search size={17} aria-hidden="true" />
        <span aria-hidden="true">Find anything {areShortcutsOn() && <kbd>/</kbd>}</span>
      </button>
      {/* Receives the typed text until the panel's field is loaded and focused. */}
      {open && (
        <input
          ref={focusNow}
          className="sr"
          aria-label="Find anything"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && close()}
          onBlur={({ relatedTarget }) => !Panel && relatedTarget && setOpen(false)}
        />
      )}
      {Panel && <Panel open={open} onClose={close} typed={typed} onType={setTyped} finalFocus={finalFocus} />}
    </>
  )
}
