/** An image of a page as GitHub's proxy serves it, and where it comes from. */
export type Found = { camo: string; origin: string }

/** A page for people has less than this; what is over is left alone, so that no page can cost more. */
export const mostImages = 500
const longestAddress = 8_000
const mostDigits = 1_000_000

const isHex = (code: number) => (code >= 48 && code <= 57) || (code >= 97 && code <= 102)
/** A letter, digit, hyphen or underscore right after the digits belongs to an address that is not the proxy's. */
const goesOn = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 45 || code === 95

/** The end of a run of lower-case hex digits, of at most so many. */
function endOfHex(text: string, from: number, most: number): number {
  let at = from
  while (at - from < most && isHex(text.charCodeAt(at))) at += 1
  return at
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The address written in hex, when it is one of the web. */
function decoded(digits: string): string | undefined {
  try {
    const address = utf8.decode(Buffer.from(digits, 'hex'))
    return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined
  } catch {
    return undefined
  }
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
  let left = mostDigits
  for (let at = text.indexOf(prefix); at >= 0 && found.size < mostImages && left > 0; at = text.indexOf(prefix, at)) {
    const digest = at + prefix.length
    const slash = endOfHex(text, digest, 65)
    left -= slash - digest
    at = slash
    if ((slash - digest !== 40 && slash - digest !== 64) || text[slash] !== '/') continue
    const end = endOfHex(text, slash + 1, 2 * longestAddress)
    left -= end - slash
    at = end
    if (goesOn(text.charCodeAt(end))) continue
    const path = text.slice(digest, end)
    if (found.has(path)) continue
    const digits = text.slice(slash + 1, end)
    const origin = digits.length % 2 === 0 ? decoded(digits) : undefined
    if (origin !== undefined) found.set(path, origin)
  }
  return [...found].map(([path, origin]) => ({ camo: prefix + path, origin }))
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
