import { createDecipheriv, createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import {
  chunkBytes,
  Header,
  Inside,
  inPieces,
  type Keys,
  keyOf,
  magic,
  nonceOf,
  sealedBytes,
  tagBytes,
} from './format.ts'

/** Longer than any two first lines. */
const longestHead = 4_096

/** The passphrase is not the one that the file was sealed with. */
export class WrongPassphrase extends Error {}

const damaged = (file: string) => new Error(`${file} is damaged.`)

/** The two first lines and what they say; undefined if the file isn't a sealed backup. */
async function readHead(file: string): Promise<{ head: Buffer; header: Header } | undefined> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestHead), 0, longestHead, 0)
    const end = buffer.indexOf('\n', magic.length) + 1
    if (end === 0 || end > bytesRead || buffer.toString('latin1', 0, magic.length) !== magic) return undefined
    const header = Header.safeParse(parsed(buffer.toString('utf8', magic.length, end))).data
    return header && { head: buffer.subarray(0, end), header }
  } finally {
    await handle.close()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a sealed backup says without its passphrase; undefined for any other file. */
export async function labelOfSealed(
  file: string,
  size: number,
): Promise<{ rows: number; isWhole: boolean } | undefined> {
  const read = await readHead(file)
  return read && { rows: read.header.rows, isWhole: sealedBytes(read.head.length, read.header) === size }
}

/** Reads a sealed backup, proving every byte of it; `content` gets what follows the secrets. Throws WrongPassphrase, or an Error if it is damaged. */
async function read(
  file: string,
  passphrase: string | Keys,
  content: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<{ inside: Inside; form: Header['form'] }> {
  const start = await readHead(file)
  if (!start) throw damaged(file)
  const { head, header } = start
  const { key, check } = typeof passphrase === 'string' ? await keyOf(passphrase, header) : passphrase
  if (check !== header.check) throw new WrongPassphrase('Wrong passphrase.')
  const about = createHash('sha256').update(head).digest()
  let inside: Inside | undefined

  async function* pieces(): AsyncGenerator<Buffer> {
    const stream = createReadStream(file, { start: head.length, highWaterMark: chunkBytes })
    let index = 0
    for await (const [piece, isLast] of inPieces(stream, chunkBytes + tagBytes)) {
      if (piece.length < tagBytes) throw damaged(file)
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast), { authTagLength: tagBytes })
      decipher.setAAD(about)
      decipher.setAuthTag(piece.subarray(-tagBytes))
      let plain = Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), finish(decipher)])
      if (index === 0) {
        const end = plain.indexOf('\n') + 1
        inside = Inside.parse(parsed(plain.toString('utf8', 0, end)))
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
      throw new Error(`${file} is damaged.`, { cause })
    }
  }
  await content(pieces())
  if (!inside) throw damaged(file)
  return { inside, form: header.form }
}

/** Opens a sealed backup into a new file, which is the owner's alone. Until this has resolved, nothing in it is proven. */
export const openFile = (file: string, passphrase: string, to: string) =>
  read(file, passphrase, (pieces) => pipeline(pieces, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true })))

/** Reads all of a sealed backup and answers the hash of its content. */
export async function hashOfSealed(file: string, passphrase: string | Keys): Promise<string> {
  const hash = createHash('sha256')
  await read(file, passphrase, async (pieces) => {
    for await (const piece of pieces) hash.update(piece)
  })
  return hash.digest('hex')
}
