import { expect, test, vi } from 'vitest'
import { userColumns } from './admin/pages/columns.tsx'
import type { EntryPages } from './entries/pages/tool-pages.ts'
import { tools } from './tools/index.ts'
import type { Column } from './ui/table/column.ts'

vi.hoisted(() => {
  const there = { addEventListener() {} }
  vi.stubGlobal('document', there)
  vi.stubGlobal('matchMedia', () => there)
})
// TypeScript checks the server by itself.
const { listColumnsOf } = await import('./entries/list/list.ts' satisfies string)
const onServer = await import('./admin/list.ts' satisfies string)

const keysOf = (columns: object) => Object.keys(columns).sort()
const searched = <Row,>(columns: readonly Column<Row>[]) =>
  columns.flatMap(({ key, plain, unseen }) => (plain || unseen ? [] : [key])).sort()

// A screen searches up to 200 rows by itself, so a column that the server lacks is only missed in a longer list.
test.each(tools.filter(({ kind }) => kind === 'entries'))(
  'each column of the $label list is one that the server can search and sort by',
  async (tool) => {
    const [{ server }, { pages }]: [{ server: unknown }, { pages: EntryPages }] = [
      await tool.server(),
      await tool.pages(),
    ]
    const { columns } = await pages.screens()
    expect(keysOf(listColumnsOf(server, { config: { baseUrl: 'http://localhost' } }))).toEqual(searched(columns))
  },
)

test('each column of the list of users is one that the server can search and sort by', () => {
  expect(keysOf(onServer.userColumns({}))).toEqual(searched(userColumns({})))
})
