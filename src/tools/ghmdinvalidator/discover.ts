/** An image of a page as GitHub's proxy serves it, and where it comes from. */
export type Found = { camo: string; origin: string }

/** More distinct images than a page for people has: what is over is left alone. */
export const mostImages = 500

const hex = (code: number) => (code >= 48 && code <= 57) || (code >= 97 && code <= 102)

/** The end of a run of lower-case hex digits. */
function endOfHex(text: string, from: number): number {
  let at = from
  while (hex(text.charCodeAt(at))) at += 1
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

/**
 * The distinct proxied images of a page, in the order in which they first appear: `{origin}/{40 or 64 hex}/{hex of the address}`.
 * No character of such an address is escaped in HTML or JSON, so the raw text holds it whole in whatever shape it is embedded.
 */
export function discover(text: string, camoUrl: string): Found[] {
  const prefix = `${camoUrl}/`
  const found = new Map<string, string>()
  for (let at = text.indexOf(prefix); at >= 0 && found.size < mostImages; at = text.indexOf(prefix, at)) {
    const start = at
    at += prefix.length
    const digest = endOfHex(text, at)
    if ((digest - at !== 40 && digest - at !== 64) || text[digest] !== '/') continue
    const end = endOfHex(text, digest + 1)
    at = end
    if ((end - digest - 1) % 2 !== 0) continue
    const camo = text.slice(start, end)
    if (found.has(camo)) continue
    const origin = decoded(text.slice(digest + 1, end))
    if (origin !== undefined) found.set(camo, origin)
  }
  return [...found].map(([camo, origin]) => ({ camo, origin }))
}

/** An image's tag in HTML, or in JSON that holds HTML, up to the address it shows. */
const imageTag = /(?:<|\\u003c)img(?=\s)(?:[^<>\\]|\\["n]){0,2000}?\ssrc=\\?["'](https?:\/\/[^"'\\<>\s]{1,2048})/gi

/** The distinct images of a page that are not served by the proxy, so that nothing of them is cached there. */
export function otherImages(text: string, camoUrl: string): string[] {
  const found = new Set<string>()
  for (const [, address = ''] of text.matchAll(imageTag)) {
    if (found.size >= mostImages) break
    if (!address.startsWith(`${camoUrl}/`)) found.add(address.replaceAll('&amp;', '&'))
  }
  return [...found]
}
