import { expect, test, vi } from 'vitest'
import { userColumns } from './admin/pages/columns.tsx'
import type { EntryPages } from './entries/pages/tool-pages.ts'
import { tools } from './tools/index.ts'
import type { Column } from './ui/table/column.ts'

vi.hoisted(() => {
  const eventTarget = { addEventListener() {} }
  vi.stubGlobal('document', eventTarget)
  vi.stubGlobal('matchMedia', () => eventTarget)
})
// `satisfies string` hides the paths from TypeScript, which checks the server separately.
const { listColumnsOf } = await import('./entries/list/list.ts' satisfies string)
const onServer = await import('./admin/list.ts' satisfies string)

const keysOf = (columns: object) => Object.keys(columns).sort()
const searched = <Row,>(columns: readonly Column<Row>[]) =>
  columns.flatMap(({ key, isDisplayOnly, filterOnly }) => (isDisplayOnly || filterOnly ? [] : [key])).sort()

// Screens search up to 200 rows in the browser, so a column that the server lacks fails only in a longer list.
test.each(tools.filter(({ kind }) => kind === 'entries'))(
  'the server can search and sort by each column of the $label list',
  async (tool) => {
    const [{ server }, { pages }]: [{ server: unknown }, { pages: EntryPages }] = [
      await tool.server(),
      await tool.pages(),
    ]
    const { columns } = await pages.screens()
    expect(keysOf(listColumnsOf(server, { config: { baseUrl: 'http://localhost' } }))).toEqual(searched(columns))
  },
)

test('the server can search and sort by each column of the list of users', () => {
  expect(keysOf(onServer.userColumns({}))).toEqual(searched(userColumns({})))
})
