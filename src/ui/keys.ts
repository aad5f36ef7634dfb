import { useEffect, useEffectEvent } from 'react'

/** The fields that a key event of the browser and one of React have in common. */
type Pressed = {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  getModifierState(key: 'AltGraph'): boolean
}

/** Ctrl or Command plus this letter and no other modifier. Windows reports AltGr, which is for typing, as Ctrl+Alt. */
export function isShortcut(event: Pressed, letter: string): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return false
  if (event.getModifierState('AltGraph')) return false
  return letterOf(event) === letter
}

/** The typed letter if it is Latin, otherwise the letter or digit at the key's position. */
const letterOf = ({ key, code }: Pressed) =>
  (/^[a-z]$/i.test(key) ? key : code.replace(/^(?:Key|Digit)/, '')).toLowerCase()

/** The letter, digit, / or ? pressed without modifiers, on any layout; Shift may be needed to type / or ?. */
export function unmodifiedKey(event: Pressed): string | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph')) return undefined
  if (event.key === '/' || event.key === '?') return event.key
  return event.shiftKey ? undefined : letterOf(event)
}

/** Whether the user can type into this target. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') !== null

/** Whether an input method handles this key. Safari sends the Enter that ends a composition late, with key code 229. */
export const isComposing = ({ isComposing, keyCode }: { isComposing: boolean; keyCode: number }): boolean =>
  isComposing || keyCode === 229

export function useKeys(onKey: (event: KeyboardEvent) => void) {
  const hear = useEffectEvent(onKey)
  useEffect(() => {
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
}
