import { isUtf8 } from 'node:buffer'
import { parseUrl } from '../../shared/urls/parse-url.ts'

export type ProxiedImage = { camo: string; origin: string }

/** More images than any normal page has; further ones are ignored, to limit the cost of a page. */
export const mostImages = 1_000
const mostDigits = 150_000
const longestPath = 16_065

/** Decodes hex digits to an http(s) URL. It must be one line without NUL, since it is stored and shown in messages. */
function decodeOrigin(digits: string): string | undefined {
  const bytes = Buffer.from(digits, 'hex')
  const address = isUtf8(bytes) ? bytes.toString() : ''
  return /^https?:\/\/[^/\s\0][^\r\n\u2028\u2029\0]*$/i.test(address) ? address : undefined
}

const prefixOf = (camoUrl: string) => `${new URL(camoUrl).origin}/`

/** Finds `{origin}/{40 or 64 hex}/{hex of the URL}` in the raw text: HTML and JSON never escape these characters. */
export function findProxiedImages(text: string, camoUrl: string): ProxiedImage[] {
  const prefix = prefixOf(camoUrl)
  const found = new Map<string, string>()
  let [path, budget] = ['', mostDigits]
  for (let at = text.indexOf(prefix); at >= 0 && found.size < mostImages && budget > 0; at = text.indexOf(prefix, at)) {
    at += prefix.length
    // The same image often occurs twice in a row; skip the second occurrence cheaply.
    if (path !== '' && text.slice(at, at + path.length) === path && isEnd(text, at + path.length)) continue
    const slashed = digestLengths.find((length) => text.charCodeAt(at + length) === slash)
    if (slashed === undefined) continue
    const digits = slashed + 1
    const near = text.slice(at, at + longestPath)
    const length = matchedLength(digestAndAddress, near)
    budget -= Math.max(digits, length - digits)
    at += Math.max(digits, length)
    // A URL that continues, or has more digits than are read, isn't one of the proxy's.
    if (length <= digits || !isEnd(text, at)) continue
    path = near.slice(0, length)
    if (found.has(path)) continue
    const origin = decodeOrigin(path.slice(digits))
    if (origin !== undefined) found.set(path, origin)
  }
  return [...found].map(([path, origin]) => ({ camo: prefix + path, origin }))
}

const digestLengths = [64, 40]
const slash = '/'.charCodeAt(0)
const digestAndAddress = /[0-9a-f]+\/(?:[0-9a-f][0-9a-f])+/y

const isEnd = (text: string, at: number) => !/[\w-]/.test(text.charAt(at))

function matchedLength(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  pattern.test(text)
  return pattern.lastIndex
}

/** An image tag in HTML, or in JSON that contains HTML, up to the end of its URL. */
const imageTag =
  /(?:<|\\u003c)img(?=\s)(?:[^<>\\]|\\(?:["n]|u0026)){0,2000}?\ssrc=\\?["']((?:[^"'\\<>\s]|\\u0026){1,2048})/gi
/** The maximum total of characters of such tags that are examined. */
const mostLetters = 200_000
const plainText = (source: string) => source.replaceAll('\\u0026', '&').replaceAll('&amp;', '&')

/** The distinct images of a page other than `images`: not served by the proxy, or with an origin that can't be read. */
export function otherImages(text: string, pageUrl: string, images: readonly ProxiedImage[]): string[] {
  const purged = new Set(images.map(({ camo }) => camo))
  const found = new Set<string>()
  let budget = mostLetters
  for (const [tag, source = ''] of text.matchAll(imageTag)) {
    budget -= tag.length
    if (found.size >= mostImages || budget < 0) break
    const url = parseUrl(plainText(source), pageUrl)
    if (url && /^https?:$/.test(url.protocol) && !purged.has(url.origin + url.pathname)) found.add(url.href)
  }
  return [...found]
}
