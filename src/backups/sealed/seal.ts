import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { chunkBytes, type Header, type Inside, inPieces, keyOf, magic, nonceOf, usualCosts } from './format.ts'

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
