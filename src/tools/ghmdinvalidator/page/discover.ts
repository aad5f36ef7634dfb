import { isUtf8 } from 'node:buffer'

/** An image of a page as GitHub's proxy serves it, and where it comes from. */
export type Found = { camo: string; origin: string }

/** A page for people has less than this; what is over is left alone, so that no page can cost more. */
export const mostImages = 1_000
const mostDigits = 150_000
const longestPath = 16_065

/** The address written in hex, when it is one of the web. */
function decoded(digits: string): string | undefined {
  const bytes = Buffer.from(digits, 'hex')
  const address = isUtf8(bytes) ? bytes.toString() : ''
  return /^https?:\/\/[^/\s]/i.test(address) ? address : undefined
}

/** Where the proxy's addresses start: whatever a page says, the host is the configured one. */
const prefixOf = (camoUrl: string) => `${new URL(camoUrl).origin}/`

/**
 * The distinct proxied images of a page, in the order in which they first appear: `{origin}/{40 or 64 hex}/{hex of the address}`.
 * No character of such an address is escaped in HTML or JSON, so the raw text holds it whole in whatever shape it is embedded.
 */
export function discover(text: string, camoUrl: string): Found[] {
  const prefix = prefixOf(camoUrl)
  const found = new Map<string, string>()
  let [path, left] = ['', mostDigits]
  for (let at = text.indexOf(prefix); at >= 0 && found.size < mostImages && left > 0; at = text.indexOf(prefix, at)) {
    at += prefix.length
    // The second link to an image follows the first, and to see that costs next to nothing.
    if (path !== '' && text.slice(at, at + path.length) === path && isEnd(text, at + path.length)) continue
    const slashed = digestLengths.find((length) => text.charCodeAt(at + length) === slash)
    if (slashed === undefined) continue
    const digits = slashed + 1
    const near = text.slice(at, at + longestPath)
    const length = lengthOf(digestAndAddress, near)
    left -= Math.max(digits, length - digits)
    at += Math.max(digits, length)
    // What goes on as an address, or has more digits than are read, is not the proxy's.
    if (length <= digits || !isEnd(text, at)) continue
    path = near.slice(0, length)
    if (found.has(path)) continue
    const origin = decoded(path.slice(digits))
    if (origin !== undefined) found.set(path, origin)
  }
  return [...found].map(([path, origin]) => ({ camo: prefix + path, origin }))
}

const digestLengths = [64, 40]
const slash = '/'.charCodeAt(0)
const digestAndAddress = /[0-9a-f]+\/(?:[0-9a-f][0-9a-f])+/y

const isEnd = (text: string, at: number) => !/[\w-]/.test(text.charAt(at))

/** How much of the beginning of this text a sticky pattern matches. */
function lengthOf(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  pattern.test(text)
  return pattern.lastIndex
}

/** An image's tag in HTML, or in JSON that holds HTML, up to the address it shows. */
const imageTag =
  /(?:<|\\u003c)img(?=\s)(?:[^<>\\]|\\(?:["n]|u0026)){0,2000}?\ssrc=\\?["']((?:[^"'\\<>\s]|\\u0026){1,2048})/gi
const plainText = (source: string) => source.replaceAll('\\u0026', '&').replaceAll('&amp;', '&')

/** The distinct images of the page at this address that are not served by the proxy, so that nothing of them is cached there. */
export function otherImages(text: string, pageUrl: string, camoUrl: string): string[] {
  const prefix = prefixOf(camoUrl)
  const found = new Set<string>()
  for (const [, source = ''] of text.matchAll(imageTag)) {
    if (found.size >= mostImages) break
    const url = URL.parse(plainText(source), pageUrl)
    if (url && /^https?:$/.test(url.protocol) && !url.href.startsWith(prefix)) found.add(url.href)
  }
  return [...found]
}
