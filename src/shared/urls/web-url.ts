import * as z from 'zod/mini'

const maxUrlLength = 2048

function why(text: string): string | undefined {
  if (text.length > maxUrlLength) return `Use at most ${maxUrlLength} characters.`
  const url = URL.parse(text)
  if (!url) return 'Enter a full URL, such as https://app.example.com/health.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'The URL must start with http:// or https://.'
  if (url.username || url.password) return 'Remove the username and password from the URL.'
  return undefined
}

/** An absolute http(s) URL of at most 2,048 characters without user info. The server decides whether its host may be visited. */
export const WebUrl = z.string({ error: 'Enter a URL.' }).check(
  z.trim(),
  z.check((context) => {
    const message = why(context.value)
    if (message) context.issues.push({ code: 'custom', message, input: context.value, path: [] })
  }),
)

/** The URL as messages and public pages may show it: what stands behind its path is often a secret. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')
