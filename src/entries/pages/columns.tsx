import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { titleOf } from '../../shared/title.ts'
import { Ago } from '../../ui/components/moment.tsx'
import { Bars, summaryOf } from '../../ui/components/status.tsx'
import { useIsPhone } from '../../ui/media.ts'
import { type Column, columnOf, columnsOf } from '../../ui/table/column.ts'
import { entryColumnTerms, urlColumnTerms } from '../list/contract.ts'
import { modifyPath } from './head.tsx'
import { EntryStatus, healthLabels } from './health/status.tsx'
import css from './pages.module.css'
import type { Item, PageNames } from './tool-pages.ts'

const common = columnsOf<Item, Exclude<keyof typeof entryColumnTerms, 'name'>>(entryColumnTerms, {
  id: { value: (row) => row.id, show: (row) => <code>{row.id}</code> },
  status: { value: (row) => (row.status ? 'Active' : 'Inactive') },
  owner: { value: (row) => row.owner },
  createdAt: { value: (row) => row.createdAt },
  lastRun: { value: (row) => row.lastRun?.timestamp ?? null, width: 100 },
})

type Own<Row> = {
  tool: PageNames
  /** For lists without a column for the description. */
  hasAbout?: true
  warning?: (row: Row) => string | undefined
  untried?: (row: Row) => ReactNode
}

const nameColumn = <Row extends Item>({ tool, hasAbout, warning, untried }: Own<Row>): Column<Row> =>
  columnOf<Row>('name', entryColumnTerms.name, {
    value: (row) => row.name,
    // An entry without a name has its description as the title, so a search must find that too.
    alsoMatches: (row, query) => row.name === null && row.about.toLowerCase().includes(query.trim().toLowerCase()),
    tip: titleOf,
    isRowTitle: true,
    // Leaves the minimum width to the other columns of a list that has more of them.
    width: hasAbout ? 220 : 236,
    fillsWidth: true,
    show: (row) => (
      <span className={css.named} dir="ltr">
        <Link to={modifyPath(tool)} search={{ id: row.id }} data-unnamed={row.name === null || undefined} dir="auto">
          {titleOf(row)}
          {hasAbout && row.name !== null && row.about !== '' && <small> {row.about}</small>}
        </Link>
        <EntryStatus entry={row} tool={tool} size="s" warning={warning?.(row)} untried={untried?.(row)} />
      </span>
    ),
  })

const recentColumn: Column<Item> = {
  key: 'recent',
  title: 'Last 30 runs',
  isDisplayOnly: true,
  shownOnPhone: true,
  search: 'equals',
  width: 144,
  value: () => null,
  text: (row) => (row.recent?.length ? summaryOf(row.recent) : '–'),
  show: (row) => <Recent row={row} />,
}

/** The last runs; on phones, which show no other column, also the time of the last one. */
function Recent({ row }: { row: Item }) {
  const isPhone = useIsPhone()
  return (
    <>
      <Bars runs={row.recent ?? []} />
      {isPhone && row.lastRun && (
        <small className={css.ago}>
          <Ago at={row.lastRun.timestamp} />
        </small>
      )}
    </>
  )
}

const healthColumn = ({ tool }: Own<never>): Column<Item> => ({
  key: 'health',
  title: 'Health',
  search: 'word',
  filterOnly: (query) => Object.hasOwn(healthLabels(tool), query),
  value: (row) => row.health,
  text: (row) => row.health,
})

/** The tool's own columns follow the ID. `NoInfer` lets the caller decide the row type, not the first column. */
export const entryColumns = <Row extends Item>(
  own: Own<Row>,
  ...columns: NoInfer<Column<Row>>[]
): readonly Column<Row>[] => [
  nameColumn(own),
  recentColumn,
  common('lastRun'),
  common('id'),
  ...columns,
  common('status'),
  common('owner'),
  common('createdAt'),
  healthColumn(own),
]

export const urlColumn: Column<Item & { url: string }> = columnOf('url', urlColumnTerms, {
  value: (row) => row.url,
  show: (row) => <Url text={row.url} />,
})

function Url({ text }: { text: string }) {
  const parts = /^(https?:\/\/)([^/?#]+)(.*)$/i.exec(text)
  if (!parts) return text
  const [, scheme, host, rest] = parts
  return (
    <span className={css.url}>
      {scheme}
      <wbr />
      <b>{host}</b>
      <wbr />
      {rest}
    </span>
  )
}
