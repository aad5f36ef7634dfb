import { useEffect } from 'react'

const parts = 'section, main, [role=dialog]'

function withAncestors(element: Element | null): Element[] {
  return element ? [element, ...withAncestors(element.parentElement)] : []
}

function focusPart(part: HTMLElement) {
  if (!part.hasAttribute('tabindex')) part.tabIndex = -1
  part.focus({ preventScroll: true })
}

/** If the focused element is removed, focuses the part of the page around it, so that the focus doesn't start at the top again. */
export function useKeptFocus() {
  useEffect(() => {
    // The focused element and its ancestors, followed by those of the one before, such as a dialog's opener.
    let around: readonly Element[] = []
    const remember = ({ target }: FocusEvent) => {
      const before = around.filter((one) => one.isConnected)
      if (target instanceof Element) around = [...new Set([...withAncestors(target), ...before])]
    }
    const keep = () => {
      const [last] = around
      if (!last || last.isConnected || document.activeElement !== document.body) return
      const part = around.find((one) => one.isConnected && one.matches(parts)) ?? document.getElementById('main')
      if (part instanceof HTMLElement) focusPart(part)
    }
    const changes = new MutationObserver(keep)
    changes.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', remember)
    return () => {
      changes.disconnect()
      removeEventListener('focusin', remember)
    }
  }, [])
}
