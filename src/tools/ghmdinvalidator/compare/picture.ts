import { isUtf8 } from 'node:buffer'

/** A picture as far as its first bytes tell; the size is unknown (0) where it isn't read. */
type Picture = { type: string; width: number; height: number }

/** So many bytes of a picture are kept to be shown. */
export const largestShown = 128 * 1_024
/** So many characters of pictures, which are base64, are kept of an entry. */
export const mostKept = 1_400_000
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

/** The type under which these bytes may be shown beside their origin; undefined if they had better not be. */
export function shownAs(body: Uint8Array): string | undefined {
  if (body.length === 0 || body.length > largestShown) return undefined
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
