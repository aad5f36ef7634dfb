import { CsvError, type CsvErrorCode, parse } from 'csv-parse/sync'
import { asWritten } from '../../shared/formula.ts'
import { Unreadable } from './unreadable.ts'

/** A row of a table, and the line on which it begins. */
export type TableRow = { line: number; cells: string[] }

/** Longer ones are no rows: somewhere above, a quote was never closed. */
const longestRow = 100_000

/** Spreadsheets write semicolons where a comma divides decimals. */
export const delimiterOf = (head: string): string => [',', ';', '\t'].find((one) => head.includes(one)) ?? ','

/** By default, the delimiter is the one that the first line has. */
type Reading = { most: number; delimiter?: string }

/** The first rows of a table as RFC 4180 writes it, at most so many; empty lines are left out. */
export function rowsOf(
  text: string,
  { most, delimiter = delimiterOf(text.slice(0, text.includes('\n') ? text.indexOf('\n') : undefined)) }: Reading,
): TableRow[] {
  const rows: TableRow[] = []
  try {
    parse(text, {
      delimiter,
      to: most,
      max_record_size: longestRow,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record(cells, { lines }) {
        rows.push({ line: lines - linesWithin(cells), cells: cells.map(asWritten) })
        return null
      },
    })
    return rows
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(Number(error.lines), words[error.code] ?? 'This is no CSV.')
    throw error
  }
}

const linesWithin = (cells: readonly string[]) => cells.join('').split('\n').length - 1

const words: { [code in CsvErrorCode]?: string } = {
  CSV_INVALID_CLOSING_QUOTE: 'After the closing quote of a cell, the next cell or line must follow.',
  INVALID_OPENING_QUOTE: 'A cell with a quote in it must begin with one.',
  CSV_MAX_RECORD_SIZE: 'This row is too long, or a quote in it is never closed.',
  CSV_QUOTE_NOT_CLOSED: 'A quote is never closed.',
}
