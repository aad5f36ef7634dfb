/** How a column is searched: by its whole text, by a word, by a part, by letters in their order, or by a time as it is shown. */
export type ColumnSearch = 'equals' | 'word' | 'includes' | 'fuzzy' | 'time'

/** What the page and the server share of a column. */
export type ColumnTerms = { title: string; search: ColumnSearch }

/** The parts of a text between its commas, in lower case. */
export const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')

/** The most incidents that one call answers, the newest ones. */
export const mostIncidents = 200
