import { pipeline } from 'node:stream/promises'
import { CsvError, type CsvErrorCode, parse } from 'csv-parse'
import { formatCount } from '../../shared/count.ts'
import { unescapeFormulas } from '../../shared/formula.ts'
import { firstLine, piecesOf, UnreadableFile } from './file.ts'
import { catchHttpError, type ImportRow, type RowSubject } from './import-file.ts'

type TableRow = { line: number; cells: string[] }

/** The most characters of a row: if it is longer, a quote was never closed. */
const longestRow = 100_000
/** Far more than the columns of any table. */
const mostCells = 1_000

/** Spreadsheets write semicolons in languages with a decimal comma. */
export const delimiterOf = (head: string): string => [',', ';', '\t'].find((one) => head.includes(one)) ?? ','

/** The line that Excel puts above the column names to state the delimiter. */
export const delimiterLine = /^"?sep=(.)"?\s*$/i

const tooManyCells = 'This row has more cells than there are columns.'

/** Calls `onRow` with each row of an RFC 4180 table, without empty lines. Throws UnreadableFile. */
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
      onRow({ line: lines - linesWithin(cells), cells: cells.map(unescapeFormulas) })
      return null
    },
  })
  try {
    await pipeline(withoutEndlessRows(text, delimiter), parser.resume())
  } catch (error) {
    if (error instanceof CsvError)
      throw new UnreadableFile(Number(error.lines), csvErrorMessages[error.code] ?? 'This is not valid CSV.')
    throw error
  }
}

/** The text up to a row with too many cells, cut off there: parsing more of them could use up all memory. */
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

const csvErrorMessages: { [code in CsvErrorCode]?: string } = {
  CSV_INVALID_CLOSING_QUOTE: 'A closing quote must be followed by the next cell or a new line.',
  INVALID_OPENING_QUOTE: 'A cell that contains quotes must be quoted.',
  CSV_MAX_RECORD_SIZE: 'This row is too long, or a quote in it is never closed.',
  CSV_QUOTE_NOT_CLOSED: 'A quote is never closed.',
}

/** A row's cells by column name, without empty cells. */
type NamedRow<Name extends string> = Partial<Record<Name, string>>
type Table<Name extends string, Draft extends { body: object }> = {
  /** The column that this cell of the first line names; null for one to ignore, undefined for an unknown one. */
  columnOf(cell: string): Name | null | undefined
  names: readonly Name[]
  needed: Name
  /** The most rows, and the noun for them in the error message. */
  most: number
  rowNoun: string
  aboutOf(row: NamedRow<Name>): RowSubject
  /** Throws an HttpError if the row is invalid. */
  draftOf(row: NamedRow<Name>): Draft
}

/** Normalizes a column name or word of a file for comparison. */
export const normalizeName = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Reads a table whose first line names its columns. Throws UnreadableFile. */
export async function readTable<Name extends string, Draft extends { body: object }>(
  text: Buffer,
  table: Table<Name, Draft>,
): Promise<ImportRow<Draft>[]> {
  let head: { line: number; named: readonly (Name | null | undefined)[] } | undefined
  const rows: ImportRow<Draft>[] = []
  const [, statedDelimiter] = delimiterLine.exec(firstLine(text)) ?? []
  const onRow = ({ line, cells }: TableRow) => {
    const isBlank = cells.length <= mostCells && cells.every((cell) => cell === '')
    if (isBlank || (statedDelimiter && line === 1)) return
    if (!head) {
      head = { line, named: columnNamesIn({ line, cells }, table) }
      return
    }
    if (rows.length >= table.most)
      throw new UnreadableFile(line, `A file can hold at most ${formatCount(table.most)} ${table.rowNoun}.`)
    if (cells.length > mostCells) throw new UnreadableFile(line, tooManyCells)
    const row: NamedRow<Name> = {}
    let isTooLong = false
    for (const [index, text] of cells.entries()) {
      const [cell, name] = [text.trim(), head.named[index]]
      if (name && cell) row[name] = cell
      else if (cell && name === undefined) isTooLong = true
    }
    const refused = (why: string): ImportRow<Draft> => ({ line, ...table.aboutOf(row), why })
    rows.push(isTooLong ? refused(tooManyCells) : catchHttpError(() => ({ line, ...table.draftOf(row) }), refused))
  }
  await forEachRow(text, onRow, statedDelimiter)
  if (!head) columnNamesIn({ line: 1, cells: [] }, table)
  if (rows.length === 0) throw new UnreadableFile(head?.line ?? 1, 'There are no rows below the column names.')
  return rows
}

type Columns<Name extends string> = Pick<Table<Name, never>, 'columnOf' | 'names' | 'needed'>

function columnNamesIn<Name extends string>({ line, cells }: TableRow, { columnOf, names, needed }: Columns<Name>) {
  const named = cells.map((cell) => {
    const name = columnOf(cell)
    // Spreadsheets may write empty columns.
    if (name !== undefined || cell === '') return name
    throw new UnreadableFile(line, `There is no column ${cell.slice(0, 40)}. Use ${names.join(', ')}.`)
  })
  if (!named.includes(needed))
    throw new UnreadableFile(line, `The first line must name the columns, including ${needed}.`)
  const twice = named.find((name, index) => name && named.indexOf(name) !== index)
  if (twice) throw new UnreadableFile(line, `The column ${twice} appears twice.`)
  return named
}
