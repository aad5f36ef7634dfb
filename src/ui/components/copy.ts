import { complain, inform } from '../toasts.ts'

/** Copies the text to the clipboard and shows a toast with `name`. */
export async function copy(text: string, name = text) {
  try {
    await navigator.clipboard.writeText(text)
    inform(`Copied ${name}`)
  } catch {
    complain('Your browser blocked copying.')
  }
}
