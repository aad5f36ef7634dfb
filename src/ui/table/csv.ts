import { escapeFormulas } from '../../shared/formula.ts'
import type { Column } from './column.ts'

/** A cell in RFC 4180 format, always quoted because a spreadsheet may split cells at characters other than commas. */
const cell = (text: string) => `"${escapeFormulas(text).replaceAll('"', '""')}"`

const line = (cells: readonly string[]) => `${cells.map(cell).join(',')}\r\n`

/** The text to write to a file: only the end of a secret. */
const textOf = <Row>({ secret, text }: Column<Row>, row: Row) => (secret ? `••••${text(row).slice(-4)}` : text(row))

export const csvHead = <Row>(columns: readonly Column<Row>[]): string => line(columns.map(({ title }) => title))

export const csvLines = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  rows.map((row) => line(columns.map((column) => textOf(column, row)))).join('')
