import { Unreadable } from './unreadable.ts'

/** A row of a table, and the line on which it begins. */
export type TableRow = { line: number; cells: string[] }

/** The rows of a table as RFC 4180 writes it, one by one; empty lines are left out. Lines end with \n alone. */
export function* rowsOf(text: string, delimiter: string): Generator<TableRow> {
  let [at, line] = [0, 1]
  while (at < text.length) {
    const row: TableRow = { line, cells: [] }
    for (;;) {
      const cell = text[at] === '"' ? quoted(text, at, line) : plain(text, at, delimiter)
      row.cells.push(cell.text)
      line += cell.lines
      at = cell.end
      if (text[at] !== delimiter) break
      at += 1
    }
    if (at < text.length && text[at] !== '\n')
      throw new Unreadable(line, 'After the closing quote of a cell, the next cell or line must follow.')
    at += 1
    line += 1
    if (row.cells.length > 1 || row.cells[0] !== '') yield row
  }
}

type Cell = { text: string; end: number; lines: number }

function plain(text: string, from: number, delimiter: string): Cell {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1
  return { text: text.slice(from, end).trim(), end, lines: 0 }
}

/** Between quotes, two of them stand for one. */
function quoted(text: string, from: number, line: number): Cell {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] === '"') continue
    const inside = text.slice(from + 1, at)
    return { text: inside.replaceAll('""', '"').trim(), end: at + 1, lines: inside.split('\n').length - 1 }
  }
  throw new Unreadable(line, 'A quote is never closed.')
}
