import { expect, test } from 'vitest'
import type { Column } from '../column.ts'
import { csvHead, csvLines } from './csv.ts'

type Row = { text: string }
const column = (more: Partial<Column<Row>> = {}): Column<Row> => ({
  key: 'text',
  title: 'A "title", quoted',
  filter: 'equals',
  value: ({ text }) => text,
  text: ({ text }) => text,
  ...more,
})
const cellOf = (text: string, more: Partial<Column<Row>> = {}) => csvLines([column(more)], [{ text }])

test('cells are quoted where they must be, and lines end as RFC 4180 says', () => {
  expect(csvHead([column(), column({ title: 'Plain' })])).toBe('"A ""title"", quoted",Plain\r\n')
  expect(cellOf('a,b')).toBe('"a,b"\r\n')
  expect(cellOf('two\nlines')).toBe('"two\nlines"\r\n')
  expect(csvLines([column(), column()], [{ text: 'a' }, { text: 'b' }])).toBe('a,a\r\nb,b\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('no cell is a formula: %j', (text) => {
  expect(cellOf(text).replace(/^"/, '').startsWith(`'${text}`)).toBe(true)
})

test('of a secret only the end is written', () => {
  expect(cellOf('https://toolbox.example/hooks/heroku/abcdefgh', { secret: true })).toBe('••••efgh\r\n')
})
