import { Search } from 'lucide-react'
import { type ComponentType, useEffect, useEffectEvent } from 'react'
import { createPortal } from 'react-dom'
import { isShortcut } from '../keys.ts'
import { lazyDialog } from '../navigation/lazy.ts'
import css from '../shell/bell.module.css'
import { bellPlace, onSearchAsked } from '../shell/signed-in-place.ts'

type PanelProps = { open: boolean; onClose: () => void }

/** A Mac's Ctrl+K deletes the rest of the line where one types. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'))

/** The button in the header that opens the search, as Ctrl+K does. */
export function searchButton(fetchPanel: () => Promise<ComponentType<PanelProps>>) {
  const usePanel = lazyDialog(fetchPanel)
  return function SearchButton() {
    const panel = usePanel()
    const place = document.getElementById(bellPlace)
    return place && createPortal(<Button {...panel} />, place)
  }
}

function Button({ Dialog, open, close, opener }: ReturnType<ReturnType<typeof lazyDialog<PanelProps>>>) {
  const ask = useEffectEvent(() => opener.onClick())
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isShortcut(event, 'k') || (!event.metaKey && isMac && isTyping(event.target))) return
    event.preventDefault()
    if (open) close()
    // A dialog waits for an answer of its own.
    else if (!document.querySelector('[role=dialog], [role=alertdialog]')) ask()
  })
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => onSearchAsked(ask), [])
  return (
    <>
      <button
        type="button"
        className={`${css.bell} ${css.search}`}
        aria-label="Find anything"
        aria-keyshortcuts="Control+K Meta+K"
        title={`Find anything (${isMac ? '⌘' : 'Ctrl+'}K)`}
        {...opener}
      >
        <Search size={17} aria-hidden="true" />
      </button>
      {Dialog && <Dialog open={open} onClose={close} />}
    </>
  )
}
