// Spreadsheets may begin a new cell after a semicolon, a tab or a line end, even within quotes.
const begins = '(?<=^|[;\\t\\r\\n])'
const sign = "(?='*[=+\\-@＝＋－＠\\t\\r])"
const unguarded = new RegExp(`${begins}${sign}`, 'g')
const guarded = new RegExp(`${begins}'${sign}`, 'g')

/** A cell's text in which no spreadsheet sees a formula: `'` stands before what begins like one. */
export const withoutFormulas = (text: string): string => text.replace(unguarded, "'")

/** The text that a cell had before `withoutFormulas`. */
export const asWritten = (cell: string): string => cell.replace(guarded, '')
