import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { chunkBytes, hashOfSealed, labelOfSealed, sealFile, tagBytes, unsealFile, WrongPassphrase } from './sealed.ts'

const folder = temporaryFolder()
const passphrase = 'a phrase with an ümlaut'
const inside = { appSecret: 'the secret of this server', previousAppSecret: 'the one before' }
const at = (name: string) => join(folder, name)
const sealing = { passphrase, inside, form: 'db', rows: 7, costs: { n: 1_024, r: 8, p: 1 } } as const

beforeAll(async () => {
  writeFileSync(at('plain'), randomBytes(3 * chunkBytes + 5))
  await sealFile(at('plain'), at('sealed'), sealing)
})

function changed(change: (bytes: Buffer) => Buffer) {
  const file = at(`changed-${randomBytes(4).toString('hex')}`)
  writeFileSync(file, change(readFileSync(at('sealed'))))
  return file
}

test('an encrypted file opens with its passphrase in any Unicode normalization, and contains the secrets', async () => {
  const to = at('opened')
  expect(await unsealFile(at('sealed'), passphrase.normalize('NFD'), to)).toEqual({ inside, form: 'db' })
  expect(readFileSync(to).equals(readFileSync(at('plain')))).toBe(true)
  expect([statSync(to).mode & 0o777, statSync(at('sealed')).mode & 0o777]).toEqual([0o600, 0o600])
  const bytes = readFileSync(at('sealed'))
  expect(bytes.includes(inside.appSecret) || bytes.includes(readFileSync(at('plain')).subarray(0, 40))).toBe(false)
  expect(await labelOfSealed(at('sealed'), bytes.length)).toEqual({ rows: 7, isWhole: true })
  expect(await labelOfSealed(at('sealed'), bytes.length - 1)).toEqual({ rows: 7, isWhole: false })
  expect(await labelOfSealed(at('plain'), 1)).toBeUndefined()
})

test.each([0, 1, chunkBytes - 85, chunkBytes, 2 * chunkBytes])('decrypts %d bytes to the original', async (length) => {
  const [from, to, back] = [at(`p${length}`), at(`s${length}`), at(`b${length}`)]
  writeFileSync(from, randomBytes(length))
  const { hash } = await sealFile(from, to, sealing)
  expect(await hashOfSealed(to, passphrase)).toBe(hash)
  expect(await labelOfSealed(to, statSync(to).size)).toEqual({ rows: 7, isWhole: true })
  await unsealFile(to, passphrase, back)
  expect(readFileSync(back).equals(readFileSync(from))).toBe(true)
})

test('a wrong passphrase throws WrongPassphrase and writes no file', async () => {
  const to = at('never')
  await expect(unsealFile(at('sealed'), `${passphrase}.`, to)).rejects.toThrow(new WrongPassphrase('Wrong passphrase.'))
  expect(existsSync(to)).toBe(false)
})

const piece = chunkBytes + tagBytes
test.each<[string, (bytes: Buffer, head: number) => Buffer]>([
  ['truncated at the end of a chunk', (bytes, head) => bytes.subarray(0, head + 3 * piece)],
  ['truncated within a chunk', (bytes) => bytes.subarray(0, -1)],
  ['truncated after its header', (bytes, head) => bytes.subarray(0, head)],
  ['extended', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
  [
    'rebuilt with its chunks in another order',
    (bytes, head) =>
      Buffer.concat([
        bytes.subarray(0, head),
        bytes.subarray(head + piece, head + 2 * piece),
        bytes.subarray(head, head + piece),
        bytes.subarray(head + 2 * piece),
      ]),
  ],
  [
    'changed by one bit',
    (bytes, head) => {
      bytes[head + 2 * piece]! ^= 1
      return bytes
    },
  ],
  [
    'given another row count',
    (bytes) => Buffer.from(bytes.toString('latin1').replace('"rows":7', '"rows":8'), 'latin1'),
  ],
])('reports an encrypted file that was %s as damaged', async (_what, change) => {
  const file = changed((bytes) => change(bytes, bytes.indexOf('\n', 30) + 1))
  await expect(hashOfSealed(file, passphrase)).rejects.toThrow('is damaged')
})

test('encrypts the same file differently each time, and overwrites no file', async () => {
  await sealFile(at('plain'), at('again'), sealing)
  const [one, other] = [readFileSync(at('sealed')), readFileSync(at('again'))]
  expect(one.subarray(-100).equals(other.subarray(-100))).toBe(false)
  await expect(sealFile(at('plain'), at('again'), sealing)).rejects.toThrow('EEXIST')
})
