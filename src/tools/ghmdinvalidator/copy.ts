import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { redirectOf } from '../../platform/net/client.ts'
import { bodyTooLarge, malformed, privateAddress, tooManyRedirects } from '../../platform/net/failure.ts'
import type { OutboundAnswer, OutboundFailure, Visitor } from '../../platform/net/outbound.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'

export type CopyContext = Pick<Context, 'config' | 'outbound' | 'now' | 'elapsed'>

/** Headers in which caches report that a response came from them. */
export const cacheHeaders = [
  'cf-cache-status',
  'x-vercel-cache',
  'x-nf-cache-status',
  'x-cache',
  'x-cache-status',
  'x-proxy-cache',
  'x-nginx-cache',
  'cache-status',
] as const
const relevantHeaders = [
  'content-type',
  'cache-control',
  'pragma',
  'expires',
  'age',
  'last-modified',
  'retry-after',
  ...cacheHeaders,
] as const
export type Headers = { readonly [Name in (typeof relevantHeaders)[number]]?: string }
const longestHeader = 1_000

/** Picks the headers used here, if not too long: all headers of a thousand images could fill the memory. */
const pickHeaders = (rawHeaders: Readonly<Record<string, string>>): Headers =>
  Object.fromEntries(
    relevantHeaders.flatMap((name) => {
      const value = rawHeaders[name]
      return value !== undefined && value.length <= longestHeader ? [[name, value]] : []
    }),
  )

export type Copy = {
  status: number
  /** The media type without parameters; empty if the response has none. */
  type: string
  length: number
  hash: string
  headers: Headers
  /** Whether the content may match the media type. */
  isPicture: boolean
  /** The picture for the entry's page, in base64; missing if it isn't safe to display. */
  display?: { type: string; bytes: string } | undefined
}
/** Why there is no copy: `own` is a badge of this server, which isn't fetched because that would count a view. */
export type NoCopy = {
  failure: OutboundFailure | 'own' | 'large' | 'private'
  note: string
  wait?: Milliseconds | undefined
}

export const isMissing = (copy: Copy | NoCopy): copy is NoCopy => 'failure' in copy

/** Limits of GitHub's proxy: its timeout for an image's server, its redirects, and the size of an image in bytes. */
export const githubTimeout = seconds(4)
const githubMaxRedirects = 4
const maxImageBytes = 5_000_000
/** Longer, because the proxy may have to fetch the image from its server first. */
const proxyTimeout = seconds(10)
/** The same for both copies, so that a server with several formats returns the same one. */
const imageHeaders = { accept: 'image/*' }

/** Fetches the image from its own server, within the limits of GitHub's proxy and on behalf of `visitor`. */
export async function originCopy(address: string, context: CopyContext, visitor: Visitor): Promise<Copy | NoCopy> {
  let url = URL.parse(address)
  let timeLeft = githubTimeout
  for (let followed = 0; url; followed += 1) {
    if (isOwnOrigin(url, context.config)) return { failure: 'own', note: 'a badge of this server' }
    const options = { visitor, headers: imageHeaders, maxBytes: maxImageBytes, timeout: Math.max(1, timeLeft) }
    const answer = await context.outbound.request(url.href, options)
    if (!answer.answered) return toNoCopy(answer)
    const next = redirectOf(answer.status, answer.headers.location, url)
    if (next === undefined) return copyOf(answer)
    if (next === 'malformed') return malformed
    if (followed >= githubMaxRedirects) return tooManyRedirects
    timeLeft -= answer.duration
    url = next
  }
  return malformed
}

export async function githubCopy(camo: string, { outbound }: CopyContext): Promise<Copy | NoCopy> {
  const answer = await outbound.request(camo, { headers: imageHeaders, maxBytes: maxImageBytes, timeout: proxyTimeout })
  return answer.answered ? copyOf(answer) : toNoCopy(answer)
}

/** Recognizes this server's own badges, which would count each fetch as a view. */
const isOwnOrigin = (url: URL, { origins }: CopyContext['config']) =>
  origins.some((origin) => hostAndPort(new URL(origin)) === hostAndPort(url))
/** A trailing dot doesn't change a host name. */
const hostAndPort = ({ hostname, port }: URL) => `${hostname.replace(/\.$/, '')}:${port}`

function toNoCopy({ failure, note, wait }: OutboundAnswer & { answered: false }): NoCopy {
  if (note === bodyTooLarge(maxImageBytes).note) return { failure: 'large', note: 'larger than 5 MB' }
  if (note === privateAddress.note) return { failure: 'private', note }
  return { failure, note, wait }
}

function copyOf({ status, headers: rawHeaders, body }: OutboundAnswer & { answered: true }): Copy {
  const headers = pickHeaders(rawHeaders)
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase().slice(0, 100)
  const shownType = status === 200 ? displayType(body) : undefined
  return {
    status,
    type,
    length: body.length,
    hash: hash('sha256', body),
    headers,
    isPicture: isPicture(type, body),
    display: shownType === undefined ? undefined : { type: shownType, bytes: Buffer.from(body).toString('base64') },
  }
}

/** A picture as identified by its first bytes; width and height are 0 if unknown. */
type Picture = { type: string; width: number; height: number }

/** The maximum size in bytes of a displayed picture. */
export const maxDisplayed = 128 * 1_024
/** The maximum total of base64 characters of the pictures that an entry stores. */
export const maxStored = 1_400_000
/** A few bytes can encode a picture that fills a browser's memory. */
const mostPixels = 16_000_000

/** SVG content that is never displayed: entities, scripts, foreign content, and references that can multiply. */
const riskySvg = /<!entity|<(?:[^\s<>:]+:)?(?:script|foreignobject|use|image|feimage|pattern|mask)\b/i

/** Identifies a picture by its bytes, regardless of its stated type; undefined if the format is unknown. */
export function pictureIn(body: Uint8Array): Picture | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const raster = pngIn(bytes) ?? gifIn(bytes) ?? jpegIn(bytes) ?? webpIn(bytes)
  return raster ?? (isSvg(bytes) ? { type: 'image/svg+xml', width: 0, height: 0 } : undefined)
}

/** The type under which these bytes may be displayed on our own origin; undefined if that isn't safe. */
export function displayType(body: Uint8Array): string | undefined {
  if (body.length === 0 || body.length > maxDisplayed) return undefined
  const picture = pictureIn(body)
  if (!picture) return undefined
  const { type, width, height } = picture
  const pixels = width * height
  const isHarmless =
    type === 'image/svg+xml' ? !riskySvg.test(Buffer.from(body).toString()) : pixels > 0 && pixels <= mostPixels
  return isHarmless ? type : undefined
}

const startsWith = (bytes: Buffer, text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text

function pngIn(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, '\x89PNG\r\n\x1a\n') || bytes.length < 24) return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifIn(bytes: Buffer): Picture | undefined {
  if (!(startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) || bytes.length < 10) return undefined
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** The size of a JPEG is in its first frame, after other segments. */
function jpegIn(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, '\xff\xd8\xff')) return undefined
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    // Any number of these fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return { type: 'image/jpeg', width: 0, height: 0 }
}

function webpIn(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, 'RIFF') || !startsWith(bytes, 'WEBP', 8) || bytes.length < 30) return undefined
  const type = 'image/webp'
  if (startsWith(bytes, 'VP8X', 12))
    return { type, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  if (startsWith(bytes, 'VP8L', 12)) {
    const bits = bytes.readUInt32LE(21)
    return { type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}

/** Whether this may be a picture of the stated type; content of an unknown type may be. */
export function isPicture(type: string, body: Uint8Array): boolean {
  if (!verifiableTypes.has(type) || pictureIn(body) !== undefined) return true
  return type === 'image/svg+xml' && (!isUtf8(body) || /<(?:[\w-]+:)?svg\b/i.test(Buffer.from(body).toString()))
}
const verifiableTypes = new Set(['image/png', 'image/gif', 'image/jpeg', 'image/jpg', 'image/webp', 'image/svg+xml'])

/** Whether this is text whose first element is `svg`, after a declaration, comments and a document type. */
function isSvg(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 4_096)
  if (!isUtf8(bytes)) return false
  const text = head.toString().replace(/^\ufeff/, '')
  const rest = text.replace(/^(?:\s+|<\?[^>]*>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>)*/i, '')
  return /^<(?:[\w-]+:)?svg[\s>/]/i.test(rest)
}
