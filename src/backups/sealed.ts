import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { parseJson } from '../platform/body.ts'
import type { Label } from '../platform/db/label.ts'

/*
 * An encrypted backup is two lines of text (the format and its version; the header as JSON), followed by the content
 * in chunks of 64 KiB, each encrypted with AES-256-GCM. The key is derived with scrypt from the passphrase and the
 * header's salt. A nonce is the chunk's index and a flag for the last chunk, so that chunks can't be swapped, repeated
 * or cut off. Every chunk's tag also authenticates the header.
 */
const magic = 'ToolBox sealed backup 1\n'
export const chunkBytes = 65_536
export const tagBytes = 16

/** Limits on the scrypt costs in a header: at most 512 MB and a few seconds. */
const Costs = z.object({
  n: z.int().check(z.gte(2), z.lte(2 ** 19)),
  r: z.int().check(z.gte(1), z.lte(8)),
  p: z.int().check(z.gte(1), z.lte(8)),
})
/** The scrypt costs of new backups: 64 MB and about a third of a second. */
export const defaultCosts: z.infer<typeof Costs> = { n: 2 ** 16, r: 8, p: 2 }

const Header = z.object({
  form: z.enum(['db', 'jsonl']),
  rows: z.int(),
  /** Size of the content before encryption. */
  bytes: z.int(),
  salt: z.string(),
  /** Distinguishes a wrong passphrase from a damaged file. */
  check: z.string(),
  ...Costs.shape,
})
type Header = z.infer<typeof Header>

/** The first line of the content, as JSON. Without these keys, the secrets in the rows can't be decrypted. */
export const EmbeddedSecrets = z.object({ appSecret: z.string(), previousAppSecret: z.optional(z.string()) })
export type EmbeddedSecrets = z.infer<typeof EmbeddedSecrets>

const derive: (passphrase: string, salt: Buffer, length: number, options: object) => Promise<Buffer> = promisify(scrypt)

type Keys = { key: Buffer; check: string }

async function keyOf(passphrase: string, { salt, n, r, p }: Pick<Header, 'salt' | 'n' | 'r' | 'p'>): Promise<Keys> {
  const options = { N: n, r, p, maxmem: 128 * n * r + 128 * r * p + 1_048_576 }
  const root = await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64url'), 32, options)
  return {
    key: Buffer.from(hkdfSync('sha256', root, '', 'toolbox sealed backup', 32)),
    check: createHmac('sha256', root).update('toolbox sealed backup check').digest('base64url').slice(0, 22),
  }
}

/** Unique for each chunk of a file; no two files share a key. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** The total size in bytes, if the first two lines have the size `headerSize`. */
const sealedBytes = (headerSize: number, { bytes }: Header): number =>
  headerSize + bytes + tagBytes * Math.max(1, Math.ceil(bytes / chunkBytes))

/** Each piece has a flag for the last one, which may be shorter. */
async function* splitIntoChunks(stream: AsyncIterable<Buffer>, size: number): AsyncGenerator<[Buffer, boolean]> {
  let buffered: Buffer = Buffer.alloc(0)
  for await (const bytes of stream) {
    buffered = buffered.length === 0 ? bytes : Buffer.concat([buffered, bytes])
    // Keep back a full piece until more bytes arrive: it may be the last.
    for (; buffered.length > size; buffered = buffered.subarray(size)) yield [buffered.subarray(0, size), false]
  }
  yield [buffered, true]
}

type Sealing = {
  passphrase: string
  inside: EmbeddedSecrets
  form: Header['form']
  rows: number
  costs?: typeof defaultCosts
}

/** Encrypts a file into one that only its owner can read. Returns the original's hash, and the keys. */
export async function sealFile(
  from: string,
  to: string,
  { passphrase, inside, form, rows, costs = defaultCosts }: Sealing,
) {
  const first = Buffer.from(`${JSON.stringify(inside)}\n`)
  const salted = { salt: randomBytes(32).toString('base64url'), ...costs }
  const keys = await keyOf(passphrase, salted)
  const { key, check } = keys
  const header: Header = { form, rows, bytes: first.length + statSync(from).size, check, ...salted }
  const headerBytes = Buffer.from(`${magic}${JSON.stringify(header)}\n`)
  const headerDigest = createHash('sha256').update(headerBytes).digest()
  const hash = createHash('sha256')

  async function* content(): AsyncGenerator<Buffer> {
    yield first
    for await (const bytes of createReadStream(from, { highWaterMark: chunkBytes })) {
      hash.update(bytes)
      yield bytes
    }
  }
  async function* sealed(): AsyncGenerator<Buffer> {
    yield headerBytes
    let index = 0
    for await (const [piece, isLast] of splitIntoChunks(content(), chunkBytes)) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast))
      cipher.setAAD(headerDigest)
      yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
      index += 1
    }
  }
  await pipeline(sealed, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
  return { hash: hash.digest('hex'), keys }
}

/** In bytes; the first two lines are always shorter. */
const longestHead = 4_096

export class WrongPassphrase extends Error {}

const damaged = (file: string, cause?: unknown) =>
  new Error(`${file} is damaged.`, cause === undefined ? {} : { cause })

/** Undefined if the file isn't an encrypted backup. */
async function readHead(file: string): Promise<{ headerBytes: Buffer; header: Header } | undefined> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestHead), 0, longestHead, 0)
    const end = buffer.indexOf('\n', magic.length) + 1
    if (end === 0 || end > bytesRead || buffer.toString('latin1', 0, magic.length) !== magic) return undefined
    const header = Header.safeParse(parseJson(buffer.toString('utf8', magic.length, end))).data
    return header && { headerBytes: buffer.subarray(0, end), header }
  } finally {
    await handle.close()
  }
}

/** An encrypted backup's row count, and whether its size is right; undefined for any other file. */
export async function labelOfSealed(file: string, size: number): Promise<Label | undefined> {
  const start = await readHead(file)
  return start && { rows: start.header.rows, isWhole: sealedBytes(start.headerBytes.length, start.header) === size }
}

/** Authenticates every byte; `content` gets all but the first line. Throws WrongPassphrase or `damaged`. */
async function decryptFile(
  file: string,
  passphrase: string | Keys,
  content: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<{ inside: EmbeddedSecrets; form: Header['form'] }> {
  const start = await readHead(file)
  if (!start) throw damaged(file)
  const { headerBytes, header } = start
  const { key, check } = typeof passphrase === 'string' ? await keyOf(passphrase, header) : passphrase
  if (check !== header.check) throw new WrongPassphrase('Wrong passphrase.')
  const headerDigest = createHash('sha256').update(headerBytes).digest()
  let inside: EmbeddedSecrets | undefined

  async function* pieces(): AsyncGenerator<Buffer> {
    const stream = createReadStream(file, { start: headerBytes.length, highWaterMark: chunkBytes })
    let index = 0
    for await (const [piece, isLast] of splitIntoChunks(stream, chunkBytes + tagBytes)) {
      if (piece.length < tagBytes) throw damaged(file)
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast), { authTagLength: tagBytes })
      decipher.setAAD(headerDigest)
      decipher.setAuthTag(piece.subarray(-tagBytes))
      let plain = Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), finish(decipher)])
      if (index === 0) {
        const end = plain.indexOf('\n') + 1
        inside = EmbeddedSecrets.parse(parseJson(plain.toString('utf8', 0, end)))
        plain = plain.subarray(end)
      }
      yield plain
      index += 1
    }
  }
  const finish = (decipher: ReturnType<typeof createDecipheriv>) => {
    try {
      return decipher.final()
    } catch (cause) {
      throw damaged(file, cause)
    }
  }
  await content(pieces())
  if (!inside) throw damaged(file)
  return { inside, form: header.form }
}

/** Decrypts a backup into a file that only its owner can read. Don't use that file before this resolves. */
export const unsealFile = (file: string, passphrase: string, to: string) =>
  decryptFile(file, passphrase, (pieces) =>
    pipeline(pieces, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true })),
  )

export async function hashOfSealed(file: string, passphrase: string | Keys): Promise<string> {
  const hash = createHash('sha256')
  await decryptFile(file, passphrase, async (pieces) => {
    for await (const piece of pieces) hash.update(piece)
  })
  return hash.digest('hex')
}
