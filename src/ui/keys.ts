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
  const typed = /^[a-z]$/i.test(event.key) ? event.key : event.code.replace(/^Key/, '')
  return typed.toLowerCase() === letter
}

/** Whether an input method takes this key, such as the Enter that ends a composition, which Safari sends after its end. */
export const isComposing = ({ isComposing, keyCode }: { isComposing: boolean; keyCode: number }): boolean =>
  isComposing || keyCode === 229
