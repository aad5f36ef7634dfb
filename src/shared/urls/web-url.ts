import * as z from 'zod/mini'
import { hasControls } from '../schemas/names.ts'
import { parseUrl } from './parse-url.ts'

const maxUrlLength = 2048

/** Why a URL may not be stored, as a message; undefined if it may. */
export function webUrlMistake(text: string): string | undefined {
  if (text.length > maxUrlLength) return `Use at most ${maxUrlLength} characters.`
  // Check before parsing: the parser drops some of these characters.
  if (hasControls(text)) return "The URL can't contain line ends, control characters or text direction marks."
  const url = parseUrl(text)
  if (!url) return 'Enter a full URL, such as https://app.example.com/health.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'The URL must start with http:// or https://.'
  if (url.username || url.password) return 'Remove the username and password from the URL.'
  return undefined
}

/** An absolute http(s) URL of at most 2,048 characters without user info. The server decides which hosts to allow. */
export const WebUrl = z.string({ error: 'Enter a URL.' }).check(
  z.trim(),
  z.check((context) => {
    const message = webUrlMistake(context.value)
    if (message) context.issues.push({ code: 'custom', message, input: context.value, path: [] })
  }),
)

/** The URL for messages and public pages: its query and fragment often contain secrets. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')
