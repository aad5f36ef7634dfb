import { Unreadable } from './unreadable.ts'

/** The text without its byte order mark, with lines that end with \n alone. Throws Unreadable. */
export function textIn(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  } catch {
    throw new Unreadable(lineOfWrong(bytes), 'This is not text in UTF-8. Save the file as UTF-8 and try again.')
  }
}

/** The first line that can't be decoded. */
function lineOfWrong(bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes)
  return text.slice(0, text.indexOf('\uFFFD')).split(/\r\n?|\n/).length
}
