import { notifyError, notifyInfo } from '../toasts.ts'

/** Copies the text to the clipboard and shows a toast with `name`. */
export async function copy(text: string, name = text) {
  // Browsers provide the clipboard API only on secure pages.
  const isCopied = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : copySelected(text)
  if (isCopied) notifyInfo(`Copied ${name}`)
  else notifyError('Your browser blocked copying.')
}

function copySelected(text: string): boolean {
  const element = document.createElement('pre')
  element.textContent = text
  element.className = 'sr'
  document.body.append(element)
  getSelection()?.selectAllChildren(element)
  const isCopied = document.execCommand('copy')
  element.remove()
  return isCopied
}
