import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { redirectOf } from '../../platform/net/client.ts'
import { bodyOver, malformed, privateAddress, tooManyRedirects } from '../../platform/net/failure.ts'
import type { OutboundAnswer, OutboundFailure, Visitor } from '../../platform/net/outbound.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'

export type CopyContext = Pick<Context, 'config' | 'outbound' | 'now' | 'elapsed'>

/** The headers by which caches say that an answer came out of them. */
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
const known = [
  'content-type',
  'cache-control',
  'pragma',
  'expires',
  'age',
  'last-modified',
  'retry-after',
  ...cacheHeaders,
] as const
export type Headers = { readonly [Name in (typeof known)[number]]?: string }
const longestHeader = 1_000

/** Those that say something here: of a thousand images, all that any server can write would fill the memory. */
const headersIn = (said: Readonly<Record<string, string>>): Headers =>
  Object.fromEntries(
    known.flatMap((name) => {
      const value = said[name]
      return value !== undefined && value.length <= longestHeader ? [[name, value]] : []
    }),
  )

/** An image as somebody served it. */
export type Copy = {
  status: number
  /** The media type without parameters; empty if none was said. */
  type: string
  length: number
  hash: string
  headers: Headers
  /** Whether the content may be what its type says. */
  isPicture: boolean
  /** What the page of the entry shows. */
  display?: { type: string; bytes: string }
}
/** Why there is none: `own` is a badge of ours, which must not be fetched, since it would count. */
export type NoCopy = { failure: OutboundFailure | 'own' | 'large' | 'private'; note: string; wait?: Milliseconds }

export const isMissing = (copy: Copy | NoCopy): copy is NoCopy => 'failure' in copy

/** How long GitHub's proxy waits for an image's server, how many redirects it follows, and how much it serves. */
export const githubWaits = seconds(4)
const githubFollows = 4
const largest = 5_000_000
/** The proxy may have to ask the image's server first. */
const proxyTimeout = seconds(10)
/** The same for both sides, so that a server that offers several formats answers both alike. */
const asking = { accept: 'image/*' }

/** The image as its own server answers it now, asked with GitHub's patience and on behalf of somebody. */
export async function originCopy(address: string, context: CopyContext, visitor: Visitor): Promise<Copy | NoCopy> {
  let url = URL.parse(address)
  let left = githubWaits
  for (let followed = 0; url; followed += 1) {
    if (isOurs(url, context.config)) return { failure: 'own', note: 'a badge of this server' }
    const options = { visitor, headers: asking, maxBytes: largest, timeout: Math.max(1, left) }
    const answer = await context.outbound.request(url.href, options)
    if (!answer.answered) return missing(answer)
    const next = redirectOf(answer.status, answer.headers.location, url)
    if (next === undefined) return copyOf(answer)
    if (next === 'malformed') return malformed
    if (followed >= githubFollows) return tooManyRedirects
    left -= answer.duration
    url = next
  }
  return malformed
}

export async function githubCopy(camo: string, { outbound }: CopyContext): Promise<Copy | NoCopy> {
  const answer = await outbound.request(camo, { headers: asking, maxBytes: largest, timeout: proxyTimeout })
  return answer.answered ? copyOf(answer) : missing(answer)
}

/** A badge of this server counts each fetch as a view. */
const isOurs = (url: URL, { origins }: CopyContext['config']) =>
  origins.some((origin) => hostAndPort(new URL(origin)) === hostAndPort(url))
/** A name with a dot at its end is the same name. */
const hostAndPort = ({ hostname, port }: URL) => `${hostname.replace(/\.$/, '')}:${port}`

function missing({ failure, note, wait }: OutboundAnswer & { answered: false }): NoCopy {
  if (note === bodyOver(largest).note) return { failure: 'large', note: 'larger than 5 MB' }
  if (note === privateAddress.note) return { failure: 'private', note }
  return { failure, note, ...(wait === undefined ? {} : { wait }) }
}

function copyOf({ status, headers: said, body }: OutboundAnswer & { answered: true }): Copy {
  const headers = headersIn(said)
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase().slice(0, 100)
  const display = status === 200 ? displayType(body) : undefined
  return {
    status,
    type,
    length: body.length,
    hash: hash('sha256', body),
    headers,
    isPicture: isPicture(type, body),
    ...(display && { display: { type: display, bytes: Buffer.from(body).toString('base64') } }),
  }
}

/** A picture as far as its first bytes tell; the size is unknown (0) where it isn't read. */
type Picture = { type: string; width: number; height: number }

/** The most bytes of a picture that is shown. */
export const maxDisplayed = 128 * 1_024
/** The most characters of pictures, which are base64, that an entry stores. */
export const maxStored = 1_400_000
/** A few bytes can spell a picture that fills a browser's memory. */
const mostPixels = 16_000_000

/** What is drawn nowhere but on one's own pages: scripts, foreign content, and what multiplies itself. */
const riskySvg = /<!entity|<(?:[^\s<>:]+:)?(?:script|foreignobject|use|image|feimage|pattern|mask)\b/i

/** What these bytes are, whatever their sender says; undefined if that is no picture we know. */
export function pictureIn(body: Uint8Array): Picture | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const known = pngIn(bytes) ?? gifIn(bytes) ?? jpegIn(bytes) ?? webpIn(bytes)
  return known ?? (isSvg(bytes) ? { type: 'image/svg+xml', width: 0, height: 0 } : undefined)
}

/** The type under which these bytes may be shown on our own origin; undefined if that isn't safe. */
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

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text

function pngIn(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, '\x89PNG\r\n\x1a\n') || bytes.length < 24) return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifIn(bytes: Buffer): Picture | undefined {
  if (!(startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) || bytes.length < 10) return undefined
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** Its size stands in the first frame, behind other segments. */
function jpegIn(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, '\xff\xd8\xff')) return undefined
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    // Any number of these may stand before a marker.
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

/** Whether this may be the picture that its sender says it is; a type that we don't know may. */
export function isPicture(type: string, body: Uint8Array): boolean {
  if (!checked.has(type) || pictureIn(body) !== undefined) return true
  return type === 'image/svg+xml' && (!isUtf8(body) || /<(?:[\w-]+:)?svg\b/i.test(Buffer.from(body).toString()))
}
const checked = new Set(['image/png', 'image/gif', 'image/jpeg', 'image/jpg', 'image/webp', 'image/svg+xml'])

/** Text whose first element is `svg`, behind a declaration, comments and a document type. */
function isSvg(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 4_096)
  if (!isUtf8(bytes)) return false
  const text = head.toString().replace(/^\ufeff/, '')
  const rest = text.replace(/^(?:\s+|<\?[^>]*>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>)*/i, '')
  return /^<(?:[\w-]+:)?svg[\s>/]/i.test(rest)
}
