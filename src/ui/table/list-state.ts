import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { readStorageRecord, writeStorage } from '../browser-storage.ts'
import { queryClient } from '../data/query.ts'
import { sessionQuery } from '../data/session.ts'
import { type Column, cacheTexts, type ListState, type Sort } from './column.ts'
import { usePageSize } from './layout.ts'

/** The highest page number that the server accepts, far past the end of any list. */
const lastPage = 9_999_999

const readSort = (text: string | undefined): Sort | undefined =>
  text ? { key: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined

/** The list on this screen: its columns, its state, and functions that change the state. */
export type List<Row> = {
  columns: readonly Column<Row>[]
  state: ListState
  /** Sets these searches; an empty query removes one. */
  filter: (queries: Readonly<Record<string, string>>) => void
  sortBy: (sort: Sort | undefined) => void
  goTo: (page: number) => void
  pageSize: number
  setPageSize: (size: number) => void
}

const searchOf = <Row>({ key, isDisplayOnly, filterOnly }: Column<Row>, query: string | undefined) =>
  !query || isDisplayOnly || (filterOnly && !filterOnly(query)) ? [] : [[key, query] as const]

const lastKey = (path: string) => `toolbox.list ${queryClient.getQueryData(sessionQuery.queryKey)?.id} ${path}`
/** The searches, sorting and page that this user last had in this tab for the list at this path. */
export const lastSearchAt = (path: string): Record<string, unknown> =>
  readStorageRecord(lastKey(path), 'sessionStorage')

export function useList<Row extends object>(all: readonly Column<Row>[]): List<Row> {
  const columns = useMemo(() => all.map(cacheTexts), [all])
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const path = useLocation({ select: ({ pathname }) => pathname })
  useEffect(() => void writeStorage(lastKey(path), JSON.stringify(search), 'sessionStorage'), [path, search])
  const navigate = useNavigate()
  const [pageSize, setPageSize] = usePageSize()
  const filters: ListState['filters'] = useMemo(
    () => Object.fromEntries(columns.flatMap((column) => searchOf(column, search[column.key]))),
    [columns, search],
  )
  const sort = useMemo(() => readSort(search.sort), [search.sort])
  const page = Math.min(lastPage, Math.max(1, Number.parseInt(search.page ?? '1', 10) || 1))
  const set = (change: Record<string, string | undefined>) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (before: Record<string, string | undefined>) => ({ ...before, ...change }),
    })
  return {
    columns,
    state: { filters, sort, page },
    filter: (queries) =>
      set({
        ...Object.fromEntries(Object.entries(queries).map(([key, query]) => [key, query || undefined])),
        page: undefined,
      }),
    sortBy: (sort) => set({ sort: sort && `${sort.descending ? '-' : ''}${sort.key}` }),
    goTo: (page) => set({ page: page > 1 ? String(page) : undefined }),
    pageSize,
    setPageSize,
  }
}
