import { type PointerEvent, useState } from 'react'
import { titleOf } from '../../shared/title.ts'
import { formatTime, inZone } from '../../ui/format-time.ts'
import { useIsPhone } from '../../ui/media.ts'
import { type Column, columnOf, columnsOf } from '../../ui/table/column.ts'
import type { Run } from '../contract.ts'
import { entryColumnTerms, urlColumnTerms } from '../list/contract.ts'
import { activity, Status, troubleOf } from './health/status.tsx'
import css from './pages.module.css'
import type { Item } from './tool-pages.ts'

const common = columnsOf<Item, keyof typeof entryColumnTerms>(entryColumnTerms, {
  name: { value: (row) => row.name, lead: true, show: (row) => row.name ?? <Unnamed row={row} /> },
  id: { value: (row) => row.id, show: (row) => <code>{row.id}</code> },
  status: {
    brief: true,
    value: activity,
    tip: (row) => [activity(row), troubleOf(row)].filter(Boolean).join(', '),
    show: (row) => <Status row={row} />,
  },
  owner: { value: (row) => row.owner },
  createdAt: { value: (row) => row.createdAt },
  lastRun: { value: (row) => row.lastRun?.timestamp ?? null },
})

/** On phones, the title of a row without a name is what it is about. */
const Unnamed = ({ row }: { row: Item }) => (useIsPhone() ? titleOf(row) : <span className={css.none}>–</span>)

const recentColumn: Column<Item> = {
  key: 'recent',
  title: 'Last 30 runs',
  plain: true,
  search: 'equals',
  value: () => null,
  text: (row) => (row.recent?.length ? summaryOf(row.recent) : '–'),
  show: (row) => <RecentBars recent={row.recent ?? []} />,
}
const healthWords: Readonly<Record<string, string>> = {
  failing: 'Only entries that are failing',
  blocked: 'Only blocked entries',
  paused: 'Only entries that are paused',
  new: 'Only entries that have not run yet',
  ok: 'Only entries that are fine',
}
const healthColumn: Column<Item> = {
  key: 'health',
  title: 'Health',
  search: 'word',
  unseen: (query) => healthWords[query],
  value: (row) => row.health,
  text: (row) => row.health,
}

/** The columns of a list of entries, with the tool's own between ID and Status. `NoInfer`: the caller decides the row type, not the first column. */
export const entryColumns = <Row extends Item>(...own: NoInfer<Column<Row>>[]): readonly Column<Row>[] => [
  common('name'),
  common('id'),
  ...own,
  common('status'),
  common('owner'),
  common('createdAt'),
  recentColumn,
  common('lastRun'),
  healthColumn,
]

/** A URL whose host stands out. */
export const urlColumn: Column<Item & { url: string }> = columnOf('url', urlColumnTerms, {
  value: (row) => row.url,
  show: (row) => <Url text={row.url} />,
})

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

type Recent = readonly Pick<Run, 'timestamp' | 'success'>[]

const most = 30
const [barWidth, height, slot] = [3, 16, 4]
const width = most * slot - 1
/** Failures are full height, successes lower. */
const lower = Math.round(height * 0.3)

/** The last runs as bars, the newest on the right. Two shapes and one tooltip, since a list has many of them. */
function RecentBars({ recent }: { recent: Recent }) {
  const [at, setAt] = useState<number>()
  if (recent.length === 0) return null
  const run = at === undefined ? undefined : recent[at]
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect()
    setAt(most - 1 - Math.floor(((clientX - box.left) / box.width) * most))
  }
  return (
    <span className={css.bars} title={run && wordsOf(run)} onPointerMove={point}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={summaryOf(recent)}>
        <path className={css.ok} d={barsOf(recent, true)} />
        <path className={css.bad} d={barsOf(recent, false)} />
      </svg>
    </span>
  )
}

function barsOf(recent: Recent, success: boolean): string {
  const top = success ? lower : 0
  return recent
    .flatMap((run, index) => (run.success === success ? [`M${width - barWidth - index * slot} ${top}h3V16h-3z`] : []))
    .join('')
}

const wordsOf = ({ success, timestamp }: Recent[number]) =>
  inZone(`${success ? 'SUCCESS' : 'FAIL'} · ${formatTime(timestamp)}`, timestamp)

/** How many of these runs failed. */
function summaryOf(recent: Recent): string {
  const failed = recent.filter(({ success }) => !success).length
  const runs = recent.length === 1 ? 'The last run' : `The last ${recent.length} runs`
  if (failed === 0) return `${runs} succeeded`
  return failed === recent.length ? `${runs} failed` : `${failed} of the last ${recent.length} runs failed`
}
