import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, refusedFields, statusOf } from '../../data/api.ts'
import { useRefreshEvery } from '../../data/live.ts'
import { find, order } from '../column.ts'
import type { List } from '../list-state.ts'
import type { Source } from '../model.ts'
import { arrayInLines } from './array-in-lines.ts'
import {
  type Answer,
  allParams,
  firstQuestion,
  firstRows,
  isLong,
  paramsOf,
  type Question,
  questionOf,
  refusedSearches,
} from './question.ts'

/** A list that the server has. */
export type ServerList = {
  /** Begins the keys of its queries. */
  key: QueryKey
  path: string
  /** The topic of live changes to its rows; without it there are none. */
  topic?: string
}

const aboutRows = ({ topic }: ServerList) => (topic === undefined ? {} : { about: { topic } })

/** As many rows as one answer may have, the newest first: all of them, unless the list is long. */
export const firstQuery = <Row>(list: ServerList) =>
  queryOptions({
    queryKey: [...list.key, 'first'],
    queryFn: ({ signal }) => api.get<Answer<Row>>(list.path, { params: paramsOf(firstQuestion), signal }),
    meta: aboutRows(list),
  })

const searchesRefusedBy = (error: unknown) =>
  statusOf(error) === 400 ? refusedSearches(refusedFields(error)) : undefined

/** One page of what is asked. */
const pageQuery = <Row>(list: ServerList, question: Question) =>
  queryOptions({
    queryKey: [...list.key, 'page', question],
    queryFn: ({ signal }) => api.get<Answer<Row>>(list.path, { params: paramsOf(question), signal }),
    // The search box says why.
    meta: { ...aboutRows(list), quiet: (error) => searchesRefusedBy(error) !== undefined },
  })

/** The rows on all pages that match the searches of a list. */
export type Matches<Row = unknown> = {
  /** How many they are. */
  found: number
  /** In their order, of a long list piece by piece from the server. */
  allRows: (signal: AbortSignal) => AsyncIterable<readonly Row[]>
  allIds: () => Promise<readonly string[]>
}

/** The rows of a list, kept up to date: all of them, or the page that is shown of a long list. */
export function useRows<Row extends { id: string }>(server: ServerList, list: List<Row>): Source<Row> & Matches<Row> {
  const every = useRefreshEvery()
  const refetchInterval = server.topic === undefined ? false : every
  const first = useQuery({
    ...firstQuery<Row>(server),
    refetchInterval,
    // Long lists are asked by the page from then on.
    enabled: ({ state }) => !isLong(state.data),
  })
  const isPaged = isLong(first.data)
  const question = questionOf(list)
  const page = useQuery({
    ...pageQuery<Row>(server, question),
    refetchInterval,
    enabled: isPaged,
    // Until its rows are there, those of the page before, or those that are known to begin the list.
    placeholderData: (before) => before ?? (first.data && firstRows(first.data, question)),
  })
  const shown = isPaged ? page : first
  const refused = searchesRefusedBy(shown.error)
  const rows = refused ? [] : shown.data?.rows
  const { columns, state } = list
  const found = useMemo(
    () => (isPaged ? [] : find(rows ?? [], columns, state.filters)),
    [isPaged, rows, columns, state.filters],
  )
  const total = isPaged ? (shown.data?.total ?? 0) : undefined
  const ordered = () => order(found, columns, state.sort)
  const all = (what: 'rows' | 'ids') => allParams(question, what)
  return {
    rows,
    total,
    found: total ?? found.length,
    async *allRows(signal) {
      if (isPaged) yield* arrayInLines<Row>(`${server.path}?${all('rows')}`, signal)
      else yield ordered()
    },
    allIds: async () =>
      isPaged ? api.get<string[]>(server.path, { params: all('ids') }) : ordered().map(({ id }) => id),
    isBehind: isPaged && page.isPlaceholderData,
    refused,
    onRetry: shown.isError && !refused ? () => void shown.refetch() : undefined,
  }
}
