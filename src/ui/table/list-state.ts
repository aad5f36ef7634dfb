import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'

export type Sort = { key: string; descending: boolean }
/** The searches, sorting and page of a list. They are in the address, so that they can be shared and survive going back. */
export type ListState = { filters: Readonly<Record<string, string>>; sort: Sort | undefined; page: number }

const readSort = (text: string | undefined): Sort | undefined =>
  text ? { key: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined

/** Reads and writes the state of the list on this screen. */
export function useListState(columns: readonly { key: string }[]) {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: ListState['filters'] = useMemo(
    () => Object.fromEntries(columns.flatMap(({ key }) => (search[key] ? [[key, search[key]]] : []))),
    [columns, search],
  )
  const sort = useMemo(() => readSort(search.sort), [search.sort])
  const page = Math.max(1, Number.parseInt(search.page ?? '1', 10) || 1)
  const state: ListState = { filters, sort, page }
  const set = (change: Record<string, string | undefined>) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (before: Record<string, string | undefined>) => ({ ...before, ...change }),
    })
  return {
    state,
    filter: (key: string, query: string) => set({ [key]: query || undefined, page: undefined }),
    sortBy: (sort: Sort | undefined) => set({ sort: sort && `${sort.descending ? '-' : ''}${sort.key}` }),
    goTo: (page: number) => set({ page: page > 1 ? String(page) : undefined }),
  }
}
