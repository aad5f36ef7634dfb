import { complain, inform } from '../toasts.ts'

/** Puts the text on the clipboard and says so, by its name when it has one. */
export async function copy(text: string, name = text) {
  try {
    await navigator.clipboard.writeText(text)
    inform(`Copied ${name}`)
  } catch {
    complain('Your browser blocked copying.')
  }
}
