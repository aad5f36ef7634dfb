import { isIP } from 'node:net'
import type { Instant } from '../../shared/time.ts'
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

const mostCookies = 50
const longestCookie = 4_096

type Cookie = { text: string; isGone: boolean; fits: (to: URL) => boolean }

/**
 * Keeps what the answers of one visit set for its later requests, as browsers do (RFC 6265), and nothing longer: sites
 * set a cookie, redirect to themselves, and would do so for ever.
 */
export function cookieJar(now: () => Instant) {
  const kept = new Map<string, Cookie>()
  return {
    keep(from: URL, lines: readonly string[]): void {
      for (const line of lines) {
        const [id, cookie] = cookieIn(line, from, now()) ?? []
        if (id === undefined || !cookie) continue
        if (cookie.isGone) kept.delete(id)
        else if (kept.has(id) || kept.size < mostCookies) kept.set(id, cookie)
      }
    },
    /** The Cookie header of a request to this URL; undefined if it has none. */
    headerFor: (to: URL): string | undefined =>
      [...kept.values()]
        .filter(({ fits }) => fits(to))
        .map(({ text }) => text)
        .join('; ') || undefined,
  }
}

/** A Set-Cookie header's cookie, by what makes it the same as another; undefined if this URL may not set it. */
function cookieIn(line: string, from: URL, now: Instant): [id: string, Cookie] | undefined {
  const [pair = '', ...parts] = line.split(';').map((part) => part.trim())
  const attributes = new Map(parts.map((part) => splitAt(part)).map(([name, value]) => [name.toLowerCase(), value]))
  const [name, value] = pair.includes('=') ? splitAt(pair) : ['', pair]
  const text = name ? `${name}=${value}` : value
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header may hold them
  if (!text || text.length > longestCookie || /[\0-\x1f\x7f]/.test(text)) return undefined
  const host = from.hostname
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase()
  const isOfDomain = domain !== '' && isIP(host) === 0 && domain.includes('.') && isWithin(host, domain)
  if (domain && domain !== host && !isOfDomain) return undefined
  const isSecure = attributes.has('secure')
  if (isSecure && from.protocol !== 'https:') return undefined
  const asked = attributes.get('path') ?? ''
  const path = asked.startsWith('/') ? asked : from.pathname.replace(/\/[^/]*$/, '') || '/'
  const maxAge = attributes.get('max-age') ?? ''
  const isGone = /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get('expires') ?? '') <= now
  const fits = (to: URL) =>
    (isOfDomain ? isWithin(to.hostname, domain) : to.hostname === host) &&
    isUnder(to.pathname, path) &&
    (!isSecure || to.protocol === 'https:')
  return [JSON.stringify([name, isOfDomain ? domain : host, path]), { text, isGone, fits }]
}

function splitAt(part: string): [name: string, value: string] {
  const [name = '', ...value] = part.split('=')
  return [name.trim(), value.join('=').trim()]
}

const isWithin = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)
const isUnder = (pathname: string, path: string) =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
