import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memberAt, piecesIn, valueAt } from '../../own-data/read-file.ts'
import { beginOf, normalizeText, UnreadableFile } from './file.ts'
import { forEachRow } from './rows.ts'

const limits = { most: 100, tooMany: 'too many' }
async function cut(text: string) {
  const bytes = Buffer.from(text)
  const begin = await beginOf(bytes)
  return { bytes, begin, ...(await piecesIn(bytes, { ...begin, to: bytes.length }, limits)) }
}

/** Parses JSON piece by piece, with the same result as JSON.parse. */
async function parsedByPieces(text: string): Promise<unknown> {
  const { bytes, begin, pieces } = await cut(text)
  if (bytes[begin.from] === 0x5b) return pieces.map((piece) => valueAt(bytes, piece))
  const members = pieces.map((piece) => memberAt(bytes, piece)!)
  return Object.fromEntries(members.map(({ name, value }) => [name, valueAt(bytes, value)]))
}

test('pieces of JSON are its members and items, however it is formatted', () => {
  const value = fc.oneof(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.dictionary(fc.string(), fc.jsonValue()))
  const indent = fc.constantFrom(undefined, 1, '\t')
  return fc.assert(
    fc.asyncProperty(value, indent, async (value, indent) => {
      const text = ` ${JSON.stringify(value, null, indent)}\n`
      expect(await parsedByPieces(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: 200 },
  )
})

test.each(['{"', '{"a'])('reading a long text of escaped letters after %s yields to other work', async (begin) => {
  const text = Buffer.from(`${begin}${'\\"'.repeat(100_000)}":1}`)
  const clock = vi.spyOn(performance, 'now')
  await piecesIn(text, { from: 0, to: text.length, line: 1 }, limits)
  expect(clock.mock.calls.length).toBeGreaterThan(40)
})

test('a long line is not read byte by byte to find the number of an invalid line', async () => {
  const iterate = vi.spyOn(Uint8Array.prototype, Symbol.iterator)
  onTestFinished(() => iterate.mockRestore())
  const text = Buffer.from(`a\n${'a'.repeat(1_000_000)}\n\xff`, 'latin1')
  await expect(normalizeText(text)).rejects.toMatchObject({ line: 3 })
  expect(Math.max(...iterate.mock.contexts.map((bytes) => (bytes as Uint8Array).length))).toBeLessThan(300_000)
})

test('truncated JSON is never accepted', () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  return fc.assert(
    fc.asyncProperty(value, fc.nat(), async (value, place) => {
      const text = JSON.stringify(value)
      await expect(cut(text.slice(0, 1 + (place % (text.length - 1))))).rejects.toThrow(UnreadableFile)
    }),
    { numRuns: 100 },
  )
})

test('a table is read as the rows that were written, each with the line on which it begins', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ') }).map((text) => text.trim())
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  const written = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return fc.assert(
    fc.asyncProperty(table, async (table) => {
      const rows = table.map((cells) => cells.map(written).join(','))
      const found: { line: number; cells: string[] }[] = []
      await forEachRow(Buffer.from(rows.join('\n')), (row) => found.push(row), ',')
      expect(found.map(({ cells }) => cells)).toEqual(table)
      const begins = rows.map((_row, index) => rows.slice(0, index).join('\n').split('\n').length + Math.min(index, 1))
      expect(found.map(({ line }) => line)).toEqual(begins)
    }),
    { numRuns: 200 },
  )
})
