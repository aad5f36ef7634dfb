import type { Message } from './connection/exchange.ts'

const statuses = new Set([301, 302, 303, 307, 308])
// The headers another origin may see: an allow-list, since any other may be a secret.
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

/** The target of a redirect: undefined if the answer is none, 'malformed' if the target is not a URL. */
export function redirectOf(status: number, location: string | undefined, from: URL): URL | 'malformed' | undefined {
  if (!statuses.has(status) || !location) return undefined
  // Headers are read as Latin-1, so each such character is a byte, which browsers percent-encode as it is.
  const encoded = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  return URL.parse(encoded, from.href) ?? 'malformed'
}

/** The request for the next address, changed as a browser would, and without anything private if the origin differs. */
export function redirected(message: Message, status: number, from: URL, to: URL): Message {
  const sameOrigin = from.origin === to.origin
  const becomesGet =
    (status === 303 && message.method !== 'HEAD') || ((status === 301 || status === 302) && message.method === 'POST')
  const keepsBody = sameOrigin && !becomesGet
  const headers = Object.entries(message.headers).filter(([name]) =>
    sameOrigin ? keepsBody || !name.startsWith('content-') : harmless.has(name),
  )
  return {
    method: becomesGet ? 'GET' : message.method,
    headers: Object.fromEntries(headers),
    own: sameOrigin ? message.own : {},
    body: keepsBody ? message.body : undefined,
  }
}
