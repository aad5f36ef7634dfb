import { useEffect, useEffectEvent } from 'react'

/** What a key event says, of the browser or of React. */
type Pressed = {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  getModifierState(key: 'AltGraph'): boolean
}

/**
 * Whether this is Ctrl or Command with this letter alone, on every layout: by the letter typed if that is a Latin one, else
 * by the place of the key. With AltGr, which Windows calls Ctrl and Alt, keys type letters.
 */
export function isShortcut(event: Pressed, letter: string): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return false
  if (event.getModifierState('AltGraph')) return false
  return letterOf(event) === letter
}

/** The Latin letter that is typed, else the letter or digit of the key's place. */
const letterOf = ({ key, code }: Pressed) =>
  (/^[a-z]$/i.test(key) ? key : code.replace(/^(?:Key|Digit)/, '')).toLowerCase()

/** The letter, digit, / or ? that is pressed alone, on every layout. */
export function keyAlone(event: Pressed): string | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph')) return undefined
  if (event.key === '/' || event.key === '?') return event.key
  return event.shiftKey ? undefined : letterOf(event)
}

/** Whether somebody types here. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') !== null

/** Whether an input method takes this key, such as the Enter that ends a composition, which Safari sends after its end. */
export const isComposing = ({ isComposing, keyCode }: { isComposing: boolean; keyCode: number }): boolean =>
  isComposing || keyCode === 229

/** Listens for keys pressed anywhere on the page. */
export function useKeys(onKey: (event: KeyboardEvent) => void) {
  const hear = useEffectEvent(onKey)
  useEffect(() => {
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
}
