/** `equals`: the whole text; `word`: ignoring case; `includes`: a part; `fuzzy`, `time`: letters in order. */
export type ColumnSearch = 'equals' | 'word' | 'includes' | 'fuzzy' | 'time'

export type ColumnTerms = { title: string; search: ColumnSearch }

export const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')

/** The maximum number of incidents in a response; it contains the newest. */
export const mostIncidents = 200

/** The maximum number of stored runs of an entry; older ones are deleted. */
export const mostStoredRuns = 200
