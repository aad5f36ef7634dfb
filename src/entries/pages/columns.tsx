import { ActivePill } from '../../ui/components/pill.tsx'
import { formatAge, formatTime } from '../../ui/format-time.ts'
import type { Column } from '../../ui/table/column.ts'
import css from './pages.module.css'
import type { Item } from './tool-pages.ts'

const idColumn: Column<Item> = {
  key: 'id',
  title: 'ID',
  filter: 'equals',
  value: (row) => row.id,
  text: (row) => row.id,
  show: (row) => <code>{row.id}</code>,
}
const activity = (row: Item) => (row.status ? 'Active' : 'Inactive')
const statusColumn: Column<Item> = {
  key: 'status',
  title: 'Status',
  brief: true,
  filter: 'equalsString',
  value: activity,
  text: activity,
  show: (row) => <ActivePill active={row.status} />,
}
const ownerColumn: Column<Item> = {
  key: 'owner',
  title: 'Owner',
  filter: 'fuzzy',
  value: (row) => row.owner,
  text: (row) => row.owner,
}
const createdColumn: Column<Item> = {
  key: 'createdAt',
  title: 'Created Timestamp',
  filter: 'fuzzy',
  value: (row) => row.createdAt,
  text: (row) => formatTime(row.createdAt),
  tip: (row) => formatAge(row.createdAt),
}

/** The columns of a list of entries, with the tool's own between ID and Status. `NoInfer`: the caller decides the row type, not the first column. */
export const entryColumns = <Row extends Item>(...own: NoInfer<Column<Row>>[]): readonly Column<Row>[] => [
  idColumn,
  ...own,
  statusColumn,
  ownerColumn,
  createdColumn,
]

/** A URL whose host stands out. */
export const urlColumn: Column<Item & { url: string }> = {
  key: 'url',
  title: 'URL',
  lead: true,
  filter: 'includesString',
  value: (row) => row.url,
  text: (row) => row.url,
  show: (row) => <Url text={row.url} />,
}

/** The host in ink, the rest dimmed; nothing is left out. */
function Url({ text }: { text: string }) {
  const parts = /^(https?:\/\/)([^/?#]+)(.*)$/i.exec(text)
  if (!parts) return text
  const [, scheme, host, rest] = parts
  return (
    <span className={css.url}>
      {scheme}
      <b>{host}</b>
      {rest}
    </span>
  )
}
