import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as z from 'zod/mini'

/*
 * A sealed backup is two lines and then the sealed content. The first line names the format and its version, the second
 * is this header as JSON. The content is cut into chunks of 64 kB, each sealed with AES-256-GCM under a key that scrypt
 * makes of the passphrase and the header's salt. A chunk's nonce is its number and whether it is the last one, so that
 * chunks can't be swapped, repeated or cut off, and the header is part of what every chunk's tag proves.
 */
export const magic = 'ToolBox sealed backup 1\n'
export const chunkBytes = 65_536
export const tagBytes = 16

/** Costs that a header may ask for: at most 512 MB and some seconds. */
const Costs = z.object({
  n: z.int().check(z.gte(2), z.lte(2 ** 19)),
  r: z.int().check(z.gte(1), z.lte(8)),
  p: z.int().check(z.gte(1), z.lte(8)),
})
/** 64 MB and about a third of a second. */
export const usualCosts: z.infer<typeof Costs> = { n: 2 ** 16, r: 8, p: 2 }

export const Header = z.object({
  form: z.enum(['db', 'jsonl']),
  rows: z.int(),
  /** How long the content is before it is sealed. */
  bytes: z.int(),
  salt: z.string(),
  /** Tells a wrong passphrase from a damaged file. */
  check: z.string(),
  ...Costs.shape,
})
export type Header = z.infer<typeof Header>

/** What the content begins with, as a line of JSON: without it the rows' secrets could never be read again. */
export const Inside = z.object({ appSecret: z.string(), previousAppSecret: z.optional(z.string()) })
export type Inside = z.infer<typeof Inside>

const derive: (passphrase: string, salt: Buffer, length: number, options: object) => Promise<Buffer> = promisify(scrypt)

/** The key of a file, and what its header shows of it. */
export type Keys = { key: Buffer; check: string }

export async function keyOf(
  passphrase: string,
  { salt, n, r, p }: Pick<Header, 'salt' | 'n' | 'r' | 'p'>,
): Promise<Keys> {
  const options = { N: n, r, p, maxmem: 128 * n * r + 128 * r * p + 1_048_576 }
  const root = await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64url'), 32, options)
  return {
    key: Buffer.from(hkdfSync('sha256', root, '', 'toolbox sealed backup', 32)),
    check: createHmac('sha256', root).update('toolbox sealed backup check').digest('base64url').slice(0, 22),
  }
}

/** Each chunk of a file has its own; no two files share a key. */
export function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** How long a sealed file is whose head is so long. */
export const sealedBytes = (head: number, { bytes }: Header): number =>
  head + bytes + tagBytes * Math.max(1, Math.ceil(bytes / chunkBytes))

/** Bytes in pieces of this size, but the last; it is known to be the last one. */
export async function* inPieces(stream: AsyncIterable<Buffer>, size: number): AsyncGenerator<[Buffer, boolean]> {
  let waiting: Buffer = Buffer.alloc(0)
  for await (const bytes of stream) {
    waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
    // What may be the last piece waits for what comes.
    for (; waiting.length > size; waiting = waiting.subarray(size)) yield [waiting.subarray(0, size), false]
  }
  yield [waiting, true]
}

type Sealing = { passphrase: string; inside: Inside; form: Header['form']; rows: number; costs?: typeof usualCosts }

/** Seals a file into a new one, which is the owner's alone; answers the hash of the content and the key. */
export async function sealFile(
  from: string,
  to: string,
  { passphrase, inside, form, rows, costs = usualCosts }: Sealing,
) {
  const first = Buffer.from(`${JSON.stringify(inside)}\n`)
  const salted = { salt: randomBytes(32).toString('base64url'), ...costs }
  const keys = await keyOf(passphrase, salted)
  const { key, check } = keys
  const header: Header = { form, rows, bytes: first.length + statSync(from).size, check, ...salted }
  const head = Buffer.from(`${magic}${JSON.stringify(header)}\n`)
  const about = createHash('sha256').update(head).digest()
  const hash = createHash('sha256')

  async function* content(): AsyncGenerator<Buffer> {
    yield first
    for await (const bytes of createReadStream(from, { highWaterMark: chunkBytes })) {
      hash.update(bytes)
      yield bytes
    }
  }
  async function* sealed(): AsyncGenerator<Buffer> {
    yield head
    let index = 0
    for await (const [piece, isLast] of inPieces(content(), chunkBytes)) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast))
      cipher.setAAD(about)
      yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
      index += 1
    }
  }
  await pipeline(sealed, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
  return { hash: hash.digest('hex'), keys }
}
