import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { readStorage, readStorageRecord, writeStorage } from '../browser-storage.ts'
import { useSessionUser } from '../data/session.ts'
import { type Column, filterRows, sortRows } from './column.ts'
import { fitWidths, useWidths } from './layout.ts'
import type { List } from './list-state.ts'

/** The source of a table's rows: either all of them, or one page at a time from the server. */
export type Source<Row> = {
  /** All rows, or those of the current page; undefined until loaded. */
  rows: readonly Row[] | undefined
  /** How many rows the server found, if `rows` is a page of them. */
  total?: number | undefined
  /** Whether `rows` still belongs to the previous query. */
  isBehind?: boolean
  /** Why the server refuses a search, keyed by column. */
  refused?: Readonly<Record<string, string>> | undefined
  /** Reloads the rows; set if loading them failed. */
  onRetry?: (() => void) | undefined
}

const noRows: readonly never[] = []

type Shown<Row> = {
  name: string
  list: List<Row>
  source: Source<Row>
  /** The pixels available for the columns. */
  room: number
}

/** The rows to show and the widths of the columns; searching and sorting are only repeated when their input changes. */
export function useModel<Row>({ name, list, source, room }: Shown<Row>) {
  const { columns, pageSize } = list
  const { filters, sort } = list.state
  const { rows = noRows, total } = source
  const isPaged = total !== undefined
  const found = useMemo(() => (isPaged ? rows : filterRows(rows, columns, filters)), [isPaged, rows, columns, filters])
  const ordered = useMemo(() => (isPaged ? found : sortRows(found, columns, sort)), [isPaged, found, columns, sort])
  const count = total ?? found.length
  const pages = Math.max(1, Math.ceil(count / pageSize))
  const isPast = source.rows !== undefined && !source.isBehind && list.state.page > pages
  const toLast = useEffectEvent(() => list.goTo(pages))
  useEffect(() => {
    if (isPast) toLast()
  }, [isPast])
  const page = Math.min(list.state.page, pages)
  const visibleRows = isPaged ? rows : ordered.slice((page - 1) * pageSize, page * pageSize)
  const [dragged, setWidth, resetWidths] = useWidths(name)
  const offered = columns.filter(({ filterOnly }) => !filterOnly)
  const [hidden, hide, resetHidden] = useHidden(name, offered)
  // A hidden column is shown while it is searched.
  const seen = offered.filter(({ key }) => !hidden.has(key) || filters[key] !== undefined)
  const widths = fitWidths(seen, dragged, room)
  const isSearched = Object.keys(filters).length > 0
  // For a long list, only the number of matching rows is known.
  const isEmpty = isPaged ? !isSearched : rows.length === 0
  const toggle = (key: string) => {
    const next = new Set(hidden)
    if (!next.delete(key)) next.add(key)
    hide(next)
  }
  const reset = () => {
    resetHidden()
    resetWidths()
  }
  const choice = { offered, hidden, toggle, reset }
  return { columns: seen, choice, visibleRows, found: count, isEmpty, page, pages, widths, setWidth }
}

function useHidden<Row>(list: string, columns: readonly Column<Row>[]) {
  const key = `toolbox.hidden.${list}.${useSessionUser()?.id}`
  const defaultHidden = () => new Set(columns.filter(({ hiddenByDefault }) => hiddenByDefault).map(({ key }) => key))
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() =>
    readStorage(key) === null ? defaultHidden() : new Set(Object.keys(readStorageRecord(key))),
  )
  const choose = (columns: ReadonlySet<string>) => {
    writeStorage(key, JSON.stringify(Object.fromEntries([...columns].map((column) => [column, true]))))
    setHidden(columns)
  }
  const chooseDefault = () => {
    writeStorage(key, null)
    setHidden(defaultHidden())
  }
  return [hidden, choose, chooseDefault] as const
}
