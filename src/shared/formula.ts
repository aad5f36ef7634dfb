// Spreadsheets may start a new cell after a semicolon, a tab or a line end, even within quotes.
const begins = '(?<=^|[;\\t\\r\\n])'
const sign = "(?='*[=+\\-@＝＋－＠\\t\\r])"
const unguarded = new RegExp(`${begins}${sign}`, 'g')
const guarded = new RegExp(`${begins}'${sign}`, 'g')

/** Escapes a cell's text with `'` wherever a spreadsheet could see the start of a formula. */
export const escapeFormulas = (text: string): string => text.replace(unguarded, "'")

/** Reverses `escapeFormulas`. */
export const unescapeFormulas = (cell: string): string => cell.replace(guarded, '')
