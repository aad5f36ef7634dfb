import { zoneHere } from '../../format-time.ts'
import type { List } from '../list-state.ts'

/** What the server is asked for a page of a list, in the words of the call. */
export type Question = {
  page: number
  size: number
  /** The key of a column; without it the newest rows come first. */
  sort?: string
  order?: 'asc' | 'desc'
  filter: Readonly<Record<string, string>>
  /** Searches by what no column shows, each a parameter of its own. */
  unseen?: Readonly<Record<string, string>>
}

/** The same of all pages. */
type All = Omit<Question, 'page' | 'size'> & { all: 'rows' | 'ids' }

/** Rows of a list, and how many there are on all its pages. */
export type Answer<Row> = { rows: readonly Row[]; total: number }

/** The most rows of an answer; lists that have no more are searched and sorted in the browser. */
const mostRows = 200

export const isLong = (answer: Answer<unknown> | undefined): boolean => answer !== undefined && answer.total > mostRows

/** Asks for the most rows at once. */
export const firstQuestion: Question = { page: 1, size: mostRows, filter: {} }

/** Asks for the page of this list; an order by what is not one of its columns is none. */
export function questionOf<Row>({
  state,
  columns,
  pageSize,
}: Pick<List<Row>, 'state' | 'columns' | 'pageSize'>): Question {
  const sort = columns.some(({ key, plain, unseen }) => key === state.sort?.key && !plain && !unseen)
    ? state.sort
    : undefined
  const asked = Object.entries(state.filters).filter(([, query]) => query.trim() !== '')
  const isUnseen = ([key]: readonly [string, string]) => columns.some((column) => column.unseen && column.key === key)
  const filter = Object.fromEntries(asked.filter((search) => !isUnseen(search)))
  const unseen = asked.filter(isUnseen)
  const order = sort && { sort: sort.key, order: sort.descending ? ('desc' as const) : ('asc' as const) }
  const more = unseen.length > 0 ? { unseen: Object.fromEntries(unseen) } : {}
  return { page: state.page, size: pageSize, ...order, filter, ...more }
}

/** The page that is asked for as the answer to the first question has it; undefined if it can't tell. */
export function firstRows<Row>(
  first: Answer<Row>,
  { page, size, sort, filter, unseen }: Question,
): Answer<Row> | undefined {
  if (page * size > mostRows || sort !== undefined || unseen !== undefined || Object.keys(filter).length > 0)
    return undefined
  return { rows: first.rows.slice((page - 1) * size, page * size), total: first.total }
}

/** The parameters of the call. A search for days is one in this time zone, which is left out otherwise: some browsers know none. */
export function paramsOf({ filter, unseen, ...rest }: Question | All): URLSearchParams {
  const params = new URLSearchParams(
    Object.entries({ ...rest, ...unseen }).map(([name, value]) => [name, String(value)]),
  )
  for (const [key, query] of Object.entries(filter)) params.append(`filter[${key}]`, query)
  if (Object.keys(filter).length > 0) params.append('zone', zoneHere())
  return params
}

/** The parameters of the call for all rows that match, or for their ids. */
export const allParams = ({ page: _page, size: _size, ...asked }: Question, all: All['all']): URLSearchParams =>
  paramsOf({ ...asked, all })

/** Why the server refuses searches, by the key of the column; undefined if it refused something else. */
export function refusedSearches(fields: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const searches = Object.entries(fields).flatMap(([name, why]) => {
    const key = /^filter\[(.+)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, why] as const]
  })
  return searches.length > 0 ? Object.fromEntries(searches) : undefined
}
