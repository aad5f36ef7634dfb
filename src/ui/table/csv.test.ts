import { expect, test } from 'vitest'
import { forEachRow } from '../../platform/imports/rows.ts'
import type { Column } from './column.ts'
import { csvHead, csvLines } from './csv.ts'

type Row = { text: string }
const column = (more: Partial<Column<Row>> = {}): Column<Row> => ({
  key: 'text',
  title: 'A "title", quoted',
  search: 'equals',
  value: ({ text }) => text,
  text: ({ text }) => text,
  ...more,
})
const cellOf = (text: string, more: Partial<Column<Row>> = {}) => csvLines([column(more)], [{ text }])

test('quotes every cell, and ends lines with CRLF as RFC 4180 requires', () => {
  expect(csvHead([column(), column({ title: 'Plain' })])).toBe('"A ""title"", quoted","Plain"\r\n')
  expect(cellOf('two\nlines')).toBe('"two\nlines"\r\n')
  expect(csvLines([column(), column()], [{ text: 'a' }, { text: 'b' }])).toBe('"a","a"\r\n"b","b"\r\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['a;=1+1', "a;'=1+1"],
  ['a\t-1', "a\t'-1"],
  ['a\n+1\r\n@x', "a\n'+1\r\n'@x"],
  ['\t\t=1', "'\t'\t'=1"],
  ["'=1", "''=1"],
  ["it's a-b = c", "it's a-b = c"],
])('no part of a cell is a formula, and an import reads the original text: %j', async (text, written) => {
  expect(cellOf(text)).toBe(`"${written}"\r\n`)
  const rows: string[][] = []
  await forEachRow(Buffer.from(`"head"\n${cellOf(text)}`), ({ cells }) => rows.push(cells))
  expect(rows).toEqual([['head'], [text]])
})

test('writes only the end of a secret', () => {
  expect(cellOf('https://toolbox.example/hooks/heroku/abcdefgh', { secret: true })).toBe('"••••efgh"\r\n')
})
