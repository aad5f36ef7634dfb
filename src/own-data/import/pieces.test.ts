import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOf } from '../../platform/table-file/rows.ts'
import { lineCounter, Unreadable } from '../../platform/table-file/unreadable.ts'
import { memberAt, piecesOf, trimmed, valueAt } from './json-pieces.ts'

const limits = { most: 100, tooMany: 'too many' }
const wholeOf = (text: string) => trimmed(text, { from: 0, to: text.length })
const cut = (text: string) => piecesOf(text, wholeOf(text), limits, lineCounter(text))

/** What JSON.parse makes of it, by way of its pieces. */
async function parsedByPieces(text: string): Promise<unknown> {
  const pieces = await cut(text)
  if (text[wholeOf(text).from] === '[') return pieces.map((piece) => valueAt(text, piece))
  const members = pieces.map((piece) => memberAt(text, piece)!)
  return Object.fromEntries(members.map(({ name, value }) => [name, valueAt(text, value)]))
}

test('pieces of JSON are its members and items, however it is written', () => {
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

test('whatever is broken off is never taken for the whole', () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  return fc.assert(
    fc.asyncProperty(value, fc.nat(), async (value, place) => {
      const text = JSON.stringify(value)
      await expect(cut(text.slice(0, 1 + (place % (text.length - 1))))).rejects.toThrow(Unreadable)
    }),
    { numRuns: 100 },
  )
})

test('rows of a table are the cells that were written, each with the line on which it begins', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ') }).map((text) => text.trim())
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  const written = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  fc.assert(
    fc.property(table, (table) => {
      const rows = table.map((cells) => cells.map(written).join(','))
      const found = rowsOf(rows.join('\n'), { delimiter: ',', most: 10 })
      expect(found.map(({ cells }) => cells)).toEqual(table)
      const begins = rows.map((_row, index) => rows.slice(0, index).join('\n').split('\n').length + Math.min(index, 1))
      expect(found.map(({ line }) => line)).toEqual(begins)
    }),
    { numRuns: 200 },
  )
})
