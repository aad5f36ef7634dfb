import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, CallError, fieldErrorsOf, statusOf } from '../data/api.ts'
import { useRefetchInterval } from '../data/live.ts'
import { hasFailed } from '../data/query.ts'
import { browserZone } from '../format-time.ts'
import { filterRows, sortRows } from './column.ts'
import type { List } from './list-state.ts'
import type { Source } from './model.ts'

export type ServerList = {
  /** The prefix of its query keys. */
  key: QueryKey
  path: string
  /** The topic of live changes to its rows; undefined if there are none. */
  topic?: string
}

const aboutRows = ({ topic }: ServerList) => (topic === undefined ? {} : { about: { topic } })

/** The newest rows, up to the maximum of one response: all rows, unless the list is long. */
export const firstQuery = <Row>(list: ServerList) =>
  queryOptions({
    queryKey: [...list.key, 'first'],
    queryFn: ({ signal }) => api.get<Answer<Row>>(list.path, { params: { page: 1, size: mostRows }, signal }),
    meta: aboutRows(list),
  })

const searchesRefusedBy = (error: unknown) =>
  statusOf(error) === 400 ? refusedSearches(fieldErrorsOf(error)) : undefined

const pageQuery = <Row>(list: ServerList, params: URLSearchParams) =>
  queryOptions({
    queryKey: [...list.key, 'page', String(params)],
    queryFn: ({ signal }) => api.get<Answer<Row>>(list.path, { params, signal }),
    // The search box shows the reason.
    meta: { ...aboutRows(list), quiet: (error) => searchesRefusedBy(error) !== undefined },
  })

/** The rows on all pages that match the searches of a list. */
export type MatchingRows<Row = unknown> = {
  found: number
  /** The rows in list order; those of a long list arrive from the server in batches. */
  allRows: (signal: AbortSignal) => AsyncIterable<readonly Row[]>
  allIds: () => Promise<readonly string[]>
}

/** The rows of a list, kept up to date: all of them, or the current page of a long list. */
export function useRows<Row extends { id: string }>(
  server: ServerList,
  list: List<Row>,
): Source<Row> & MatchingRows<Row> {
  const every = useRefetchInterval()
  const refetchInterval = server.topic === undefined ? false : every
  const first = useQuery({
    ...firstQuery<Row>(server),
    refetchInterval,
    // From then on, a long list is loaded page by page.
    enabled: ({ state }) => !isLong(state.data),
  })
  const isPaged = isLong(first.data)
  const { columns, state, pageSize } = list
  const page = useQuery({
    ...pageQuery<Row>(server, isPaged ? paramsOf(list, { page: state.page, size: pageSize }) : new URLSearchParams()),
    refetchInterval,
    enabled: isPaged,
    // Until the page is loaded, shows the previous page, or the rows known from the first response.
    placeholderData: (before) => before ?? (first.data && firstRows(first.data, list)),
  })
  const activeQuery = isPaged ? page : first
  const refused = searchesRefusedBy(activeQuery.error)
  const rows = refused ? [] : activeQuery.data?.rows
  const found = useMemo(
    () => (isPaged ? [] : filterRows(rows ?? [], columns, state.filters)),
    [isPaged, rows, columns, state.filters],
  )
  const total = isPaged ? (activeQuery.data?.total ?? 0) : undefined
  const ordered = () => sortRows(found, columns, state.sort)
  return {
    rows,
    total,
    found: total ?? found.length,
    async *allRows(signal) {
      if (isPaged) yield* streamArray<Row>(`${server.path}?${paramsOf(list, { all: 'rows' })}`, signal)
      else yield ordered()
    },
    allIds: async () =>
      isPaged
        ? api.get<string[]>(server.path, { params: paramsOf(list, { all: 'ids' }) })
        : ordered().map(({ id }) => id),
    isBehind: isPaged && page.isPlaceholderData,
    refused,
    onRetry: hasFailed(activeQuery) && !refused ? () => void activeQuery.refetch() : undefined,
  }
}

/** Rows of a list, and the total over all its pages. */
type Answer<Row> = { rows: readonly Row[]; total: number }

/** The maximum number of rows in a response; lists with no more are searched and sorted in the browser. */
const mostRows = 200

export const isLong = (answer: Answer<unknown> | undefined): boolean => answer !== undefined && answer.total > mostRows

/** The current page of a list as a part of the first response; undefined if that doesn't contain it. */
export function firstRows<Row>(
  first: Answer<Row>,
  list: Pick<List<Row>, 'state' | 'columns' | 'pageSize'>,
): Answer<Row> | undefined {
  const end = list.state.page * list.pageSize
  if (end > mostRows || paramsOf(list, {}).size > 0) return undefined
  return { rows: first.rows.slice(end - list.pageSize, end), total: first.total }
}

/** The parameters of a call for a page, or for all rows or ids; sorting by an unknown column is ignored. */
export function paramsOf<Row>(
  { state: { sort, filters }, columns }: Pick<List<Row>, 'state' | 'columns'>,
  part: { page?: number; size?: number; all?: 'rows' | 'ids' },
): URLSearchParams {
  const params = new URLSearchParams(Object.entries(part).map(([name, value]) => [name, String(value)]))
  const column = columns.find(({ key }) => key === sort?.key)
  if (sort && column && !column.isDisplayOnly && !column.filterOnly) {
    params.append('sort', sort.key)
    params.append('order', sort.descending ? 'desc' : 'asc')
  }
  for (const [key, query] of Object.entries(filters)) {
    if (query.trim() === '') continue
    const isInvisible = columns.some((column) => column.filterOnly && column.key === key)
    params.append(isInvisible ? key : `filter[${key}]`, query)
    // Sent only with searches, for days, because some browsers have none.
    if (!isInvisible) params.set('zone', browserZone())
  }
  return params
}

/** Why the server refuses searches, keyed by column; undefined if it refused something else. */
export function refusedSearches(fields: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const searches = Object.entries(fields).flatMap(([name, why]) => {
    const key = /^filter\[(.+)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, why] as const]
  })
  return searches.length > 0 ? Object.fromEntries(searches) : undefined
}

/** Reads a long array while it arrives, some items per line. Uses `fetch`, which alone can read a partial response. */
export async function* streamArray<Item>(url: string, signal?: AbortSignal): AsyncGenerator<readonly Item[]> {
  const broken = () => {
    signal?.throwIfAborted()
    throw new CallError('Network Error')
  }
  const answer = await fetch(url, { signal: signal ?? null }).catch(broken)
  if (!answer.ok || !answer.body) {
    const data: unknown = await answer.json().catch(() => undefined)
    throw new CallError(`Request failed with status code ${answer.status}`, { status: answer.status, data })
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let partialLine = ''
  let head = '['
  for (;;) {
    const { done, value = '' } = await reader.read().catch(broken)
    const lines = (partialLine + value).split('\n')
    partialLine = done ? '' : (lines.pop() ?? '')
    if (done && !lines.at(-1)?.endsWith(']')) broken()
    for (const line of lines) {
      // A line is like `[a,b,` or `c]`.
      yield JSON.parse(`[${line.slice(head.length, -1)}]`)
      head = ''
    }
    if (done) return
  }
}
