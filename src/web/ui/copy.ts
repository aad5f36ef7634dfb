import { complain, inform } from '../toasts.ts'

/** Puts the text on the clipboard and says so. */
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    inform(`Copied ${text}`)
  } catch {
    complain('The browser did not allow copying.')
  }
}
