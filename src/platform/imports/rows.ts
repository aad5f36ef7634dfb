import { pipeline } from 'node:stream/promises'
import { CsvError, type CsvErrorCode, parse } from 'csv-parse'
import { formatCount } from '../../shared/count.ts'
import { asWritten } from '../../shared/formula.ts'
import { firstLine, piecesOf, Unreadable } from './file.ts'

/** A row of a table, and the line on which it begins. */
type TableRow = { line: number; cells: string[] }

/** Longer ones are no rows: somewhere above, a quote was never closed. */
const longestRow = 100_000
/** Far more than any table has columns. */
const mostCells = 1_000

/** Spreadsheets write semicolons where a comma divides decimals. */
export const delimiterOf = (head: string): string => [',', ';', '\t'].find((one) => head.includes(one)) ?? ','

export const tooManyCells = 'This row has more cells than there are columns.'

/** Calls `onRow` with each row of a table as RFC 4180 writes it; empty lines are left out. Throws Unreadable. */
export async function forEachRow(
  text: Buffer,
  onRow: (row: TableRow) => void,
  delimiter = delimiterOf(firstLine(text)),
): Promise<void> {
  const parser = parse({
    delimiter,
    max_record_size: longestRow,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    on_record(cells: string[], { lines }) {
      onRow({ line: lines - linesWithin(cells), cells: cells.map(asWritten) })
      return null
    },
  })
  try {
    await pipeline(withoutEndlessRows(text, delimiter), parser.resume())
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(Number(error.lines), words[error.code] ?? 'This is no CSV.')
    throw error
  }
}

/** The text up to a row with too many cells, which ends there: to parse more of them would take all memory. */
async function* withoutEndlessRows(text: Buffer, delimiter: string): AsyncGenerator<string> {
  let cells = 0
  for await (const piece of piecesOf(text)) {
    for (let at = 0; at < piece.length; at += 1) {
      if (piece[at] === '\n') cells = 0
      else if (piece[at] === delimiter && ++cells > mostCells) return yield `${piece.slice(0, at)}\n`
    }
    yield piece
  }
}

const linesWithin = (cells: readonly string[]) => cells.join('').split('\n').length - 1

const words: { [code in CsvErrorCode]?: string } = {
  CSV_INVALID_CLOSING_QUOTE: 'After the closing quote of a cell, the next cell or line must follow.',
  INVALID_OPENING_QUOTE: 'A cell with a quote in it must begin with one.',
  CSV_MAX_RECORD_SIZE: 'This row is too long, or a quote in it is never closed.',
  CSV_QUOTE_NOT_CLOSED: 'A quote is never closed.',
}

type Columns<Name extends string> = {
  /** The column that this cell of the first line names; null if it is left out, undefined if there is none. */
  columnOf(cell: string): Name | null | undefined
  names: readonly Name[]
  /** The one that must be there. */
  needed: Name
  /** How many rows there may be, and of what. */
  most: number
  what: string
}
/** What a row says by its columns, without empty cells; `isTooLong` if it has cells beyond them. */
export type NamedRow<Name extends string> = { line: number; row: Partial<Record<Name, string>>; isTooLong: boolean }

/** The rows of a table whose first line names its columns. Throws Unreadable. */
export async function rowsOf<Name extends string>(text: Buffer, columns: Columns<Name>): Promise<NamedRow<Name>[]> {
  const { most, what } = columns
  let head: { line: number; named: readonly (Name | null)[] } | undefined
  const rows: NamedRow<Name>[] = []
  await forEachRow(text, ({ line, cells }) => {
    if (!head) {
      head = { line, named: namedIn({ line, cells }, columns) }
      return
    }
    if (rows.length >= most) throw new Unreadable(line, `A file can hold at most ${formatCount(most)} ${what}.`)
    if (cells.length > mostCells) throw new Unreadable(line, tooManyCells)
    const row: Partial<Record<Name, string>> = {}
    for (const [index, name] of head.named.entries()) {
      const cell = cells[index]?.trim()
      if (name && cell) row[name] = cell
    }
    rows.push({ line, row, isTooLong: cells.length > head.named.length })
  })
  if (!head) namedIn({ line: 1, cells: [] }, columns)
  if (rows.length === 0) throw new Unreadable(head?.line ?? 1, 'There is no row below the names of the columns.')
  return rows
}

function namedIn<Name extends string>({ line, cells }: TableRow, { columnOf, names, needed }: Columns<Name>) {
  const named = cells.map((cell) => {
    const name = columnOf(cell)
    if (name !== undefined) return name
    throw new Unreadable(line, `There is no column ${cell.slice(0, 40) || 'without a name'}. Use ${names.join(', ')}.`)
  })
  if (!named.includes(needed)) throw new Unreadable(line, `The first line must name the columns, ${needed} among them.`)
  const twice = named.find((name, index) => name !== null && named.indexOf(name) !== index)
  if (twice) throw new Unreadable(line, `The column ${twice} is there twice.`)
  return named
}
