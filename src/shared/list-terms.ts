/**
 * How a column matches a query: `equals` compares the whole text, `word` does so ignoring case, `includes` finds a
 * part, `fuzzy` finds letters in order, and `time` does so in a formatted time.
 */
export type ColumnSearch = 'equals' | 'word' | 'includes' | 'fuzzy' | 'time'

/** The part of a column's definition that page and server share. */
export type ColumnTerms = { title: string; search: ColumnSearch }

/** The comma-separated parts of a text, in lower case. */
export const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')

/** The maximum number of incidents in a response; it contains the newest. */
export const mostIncidents = 200
