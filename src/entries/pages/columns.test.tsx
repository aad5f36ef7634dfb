import { expect, test, vi } from 'vitest'
import { keepaliveNames } from '../../tools/keepalive/terms.ts'
import type { Column } from '../../ui/table/column.ts'
import { entryColumns, urlColumn } from './columns.tsx'
import type { EntryScreens, Item } from './tool-pages.ts'

vi.mock('../../ui/media.ts', () => ({ useIsPhone: () => false }))
vi.mock('../../ui/clock.ts', () => ({ useTimeDependent: (_at: unknown, words: () => string) => words() }))

type Row = Item & { url: string; interval: number | null }

const intervalColumn: Column<Item & { interval: number | null }> = {
  key: 'interval',
  title: 'Interval',
  search: 'equals',
  value: (row) => row.interval,
  text: (row) => String(row.interval),
}

test('places a tool’s own columns, which may need different fields, between ID and Status', () => {
  const columns: EntryScreens<Row>['columns'] = entryColumns({ tool: keepaliveNames }, urlColumn, intervalColumn)
  expect(columns.map(({ key }) => key)).toEqual([
    'name',
    'recent',
    'lastRun',
    'id',
    'url',
    'interval',
    'status',
    'owner',
    'createdAt',
    'health',
  ])
})
