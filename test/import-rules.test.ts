import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import {
  brokenRoomRules,
  brokenRules,
  missingPackages,
  roomCircles,
  type Source,
  serverPackages,
  sourceFiles,
} from './import-rules.ts'

const brokenIn = (path: string, text: string) => brokenRules([{ path, text }])
const importing = (path: string, target: string) => brokenIn(path, `import { x } from '${target}'\n`)

test('the sources follow the import rules', () => {
  const sources = sourceFiles(dirname(import.meta.dirname))
  expect(sources.length).toBeGreaterThan(20)
  expect(brokenRules(sources)).toEqual([])
  expect(brokenRoomRules(sources)).toEqual([])
})

test.each([
  ['src/shared/time.ts', '../platform/context.ts'],
  ['src/platform/http/server.ts', '../../entries/store.ts'],
  ['src/ui/components/modal/modal.tsx', '../../../entries/contract.ts'],
  ['src/entries/contract.ts', '../platform/context.ts'],
  ['src/entries/store.ts', '../tools/index.ts'],
  ['src/entries/pages/modify.tsx', '../store.ts'],
  ['src/entries/routes.ts', './pages/modify.tsx'],
  ['src/entries/store.ts', '../people/store.ts'],
  ['src/people/store.ts', '../notices/notify.ts'],
  ['src/sign-in/routes.ts', '../admission/rule.ts'],
  ['src/admission/rule.ts', '../profile/own-routes.ts'],
  ['src/tools/keepalive/server.ts', '../ghmdinvalidator/contract.ts'],
  ['src/tools/keepalive/server.ts', '../../ui/api.ts'],
  ['src/tools/keepalive/pages/form.tsx', '../../../platform/context.ts'],
  ['src/tools/keepalive/server.ts', '../../people/store.ts'],
  ['src/sign-in/routes.ts', '../app.ts'],
  ['src/app.tsx', './app.ts'],
  ['src/app.tsx', './server-tools.ts'],
  ['src/tools/keepalive/pages/card.ts', '../server.ts'],
  ['src/tools/index.ts', './keepalive/server.ts'],
  ['src/app.ts', './tools/keepalive/pages/card.ts'],
])('%s may not import %s', (path, target) => {
  expect(importing(path, target)).toHaveLength(1)
})

test.each([
  ['src/platform/config/config.ts', '../shared/time.ts'],
  ['src/entries/pages/modify.tsx', '../contract.ts'],
  ['src/tools/keepalive/pages/card.ts', '../tool.ts'],
  ['src/entries/pages/modify.tsx', '../../ui/form/form.tsx'],
  ['src/entries/routes.ts', '../platform/http/guard.ts'],
  ['src/sign-in/set-up.ts', '../people/store.ts'],
  ['src/tools/keepalive/server.ts', '../../entries/tool-server.ts'],
  ['src/tools/keepalive/pages/form.tsx', '../../../entries/pages/modify.tsx'],
  ['src/tools/index.ts', './keepalive/tool.ts'],
  ['src/server-tools.ts', './tools/index.ts'],
  ['src/mount-tool.tsx', './tools/index.ts'],
  ['src/main.ts', './app.ts'],
  ['src/cli/backups.ts', '../platform/db/open.ts'],
])('%s may import %s', (path, target) => {
  expect(importing(path, target)).toEqual([])
})

test('files may not import each other in a circle, except by dynamic import', () => {
  const file = (name: string, text: string) => ({ path: `src/platform/${name}.ts`, text })
  const [a, b] = [file('a', "import type { B } from './b.ts'"), file('b', "import { c } from './c.ts'")]
  expect(brokenRules([a, b, file('c', "import './a.ts'")])).toEqual([
    'src/platform/a.ts → src/platform/b.ts → src/platform/c.ts → src/platform/a.ts: import each other',
  ])
  expect(brokenRules([a, b, file('c', "const a = () => import('./a.ts')")])).toEqual([])
})

test('files and subfolders of a folder may not import each other in a cycle, not even by dynamic import', () => {
  const file = (path: string, text: string) => ({ path: `src/platform/${path}.ts`, text })
  const circle = [
    file('queue/jobs', "import { a } from '../log.ts'"),
    file('log', "const b = () => import('./db/open.ts')"),
    file('db/open', "import './rows/dump.ts'\nimport type { C } from '../queue/claim.ts'"),
    file('db/rows/dump', ''),
    file('queue/claim', ''),
    file('http/server', "import '../log.ts'"),
  ]
  expect(roomCircles(circle)).toEqual(['src/platform: db, log.ts, queue'])
  expect(roomCircles(circle.slice(1))).toEqual([])
  expect(roomCircles([file('a', "import './b.ts'"), file('b', "import './a.ts'")])).toEqual([])
  expect(roomCircles([file('db/open', "import '../log.ts'"), file('log.test', "import './db/open.ts'")])).toEqual([])
})

test('reports an unlisted import cycle of folders, and a listed cycle that no longer exists', () => {
  const [log, db] = ['log', 'db/open'].map((name) => `src/platform/${name}.ts`) as [string, string]
  const circle = [
    { path: log, text: "import './db/open.ts'" },
    { path: db, text: "import '../log.ts'" },
  ]
  expect(brokenRoomRules(circle, [])).toEqual(['src/platform: db, log.ts: these files and folders import each other'])
  expect(brokenRoomRules(circle, ['src/platform: db, log.ts'])).toEqual([])
  expect(brokenRoomRules([], ['src/platform: db, log.ts'])).toHaveLength(1)
})

test('recognizes every form of import', () => {
  const target = '../platform/context.ts'
  for (const text of [
    `import '${target}'`,
    `const x = await import('${target}')`,
    `import type {\n  Context,\n} from '${target}'`,
    `export const x = 1; import('${target}')`,
  ])
    expect(brokenIn('src/shared/time.ts', text), text).toHaveLength(1)
})

test('rejects a folder that is missing from the import rules', () => {
  expect(brokenIn('src/utils/text.ts', '')).toHaveLength(1)
})

test('rejects re-exports, direct use of the clock, and Node modules in the browser', () => {
  expect(brokenIn('src/entries/index.ts', "export * from './store.ts'")).toHaveLength(1)
  expect(brokenIn('src/entries/store.ts', "export { a, b } from './edit.ts'")).toHaveLength(1)
  expect(brokenIn('src/entries/store.ts', 'const at = Date.now()')).toHaveLength(1)
  expect(brokenIn('src/sign-in/identify.ts', 'const at = new Date()')).toHaveLength(1)
  expect(brokenIn('src/ui/format-time.ts', "import { join } from 'node:path'")).toHaveLength(1)
  expect(brokenIn('src/ui/format-time.ts', 'const at = Date.now()')).toEqual([])
  expect(brokenIn('src/main.ts', 'const context = { now: () => Date.now() }')).toEqual([])
  expect(brokenIn('src/sign-in/identify.ts', 'const at = new Date(1)')).toEqual([])
  expect(brokenIn('src/sign-in/session.test.ts', 'const at = Date.now()')).toEqual([])
})

const tool = (id: string) => [
  {
    path: `src/tools/${id}/tool.ts`,
    text: "const x = [() => import('./server.ts' satisfies string), () => import('./pages/card.ts' satisfies string)]",
  },
  { path: `src/tools/${id}/server.ts`, text: 'export const server = {}' },
  { path: `src/tools/${id}/pages/card.ts`, text: 'export const pages: OnePage = {}' },
]

test('a tool must import its server and pages, and each must have its export', () => {
  const [object, server, pages] = tool('sweeper') as [Source, Source, Source]
  expect(brokenRules([object, server, pages])).toEqual([])
  expect(brokenRules([object, pages])).toHaveLength(1)
  expect(brokenRules([object, server, { ...pages, text: 'export const card = {}' }])).toHaveLength(1)
  expect(brokenRules([{ ...object, text: '' }, server, pages])).toHaveLength(2)
})

test('rejects code outside the tools that names one of them', () => {
  const elsewhere = (path: string, text: string) => brokenRules([...tool('sweeper'), { path, text }])
  expect(elsewhere('src/app.ts', "const path = '/tools/sweeper'")).toEqual([
    'src/app.ts: names the tool sweeper; ask tools/index.ts, or give the tool an id that nothing else is called',
  ])
  expect(elsewhere('src/platform/log.ts', "value('SWEEPER_EVERY')")).toHaveLength(1)
  expect(elsewhere('src/app.ts', "const path = '/tools/keepalive'")).toEqual([])
  expect(elsewhere('src/app.test.ts', "const path = '/tools/sweeper'")).toEqual([])
  expect(elsewhere('src/tools/index.ts', "import { sweeperTool } from './sweeper/tool.ts'")).toEqual([])
  expect(elsewhere('src/platform/db/migrations/0003-dust.ts', "const name = 'sweeper'")).toEqual([])
})

test.each([
  "const id = 'time'",
  'const path = `/tools/time?id=1`',
  "import('./tools/time/tool.ts')",
  "value('TIME_EVERY')",
  'const every = config.timeEvery',
  'const all = [timeTool]',
])('finds a short id where it means the tool: %s', (text) => {
  expect(brokenRules([...tool('time'), { path: 'src/platform/log.ts', text }])).toHaveLength(1)
})

test.each([
  "const text = 'this time it works'",
  'const [timer, runtime, time] = [setTimeout, uptime, 1]',
  'const element = <time>now</time>',
  "const names = ['UPTIME_EVERY', 'TIMEOUT', '/sometimes', '/time-zones', 'time-out']",
  'const { startTime, lifetimeLimit } = config',
])('does not find a short id inside other words: %s', (text) => {
  expect(brokenRules([...tool('time'), { path: 'src/platform/log.ts', text }])).toEqual([])
})

test.each(["'/tools/link-check'", "'link-check'", 'LINK_CHECK_EVERY', 'linkCheckTool'])(
  'applies the rules to a tool whose id has a hyphen: %s',
  (text) => {
    expect(brokenRules(tool('link-check'))).toEqual([])
    expect(brokenRules([...tool('link-check'), { path: 'src/app.ts', text }])).toHaveLength(1)
  },
)

test.each([
  "tx.updateTable('dust').set({ seq: 0 })",
  "query.innerJoin('dust', 'dust.id', 'entry.id')",
  "type Dust = Selectable<Tables['dust']>",
  'sql`delete from dust where at < 1`',
])('only a tool’s own folder may read and write its tables: %s', (text) => {
  const declared = 'declare module {\n  interface Tables {\n    dust: { at: number }\n  }\n}\n'
  const withTable = [...tool('sweeper'), { path: 'src/tools/sweeper/tables.ts', text: declared }]
  expect(brokenRules([...withTable, { path: 'src/tools/sweeper/store.ts', text }])).toEqual([])
  expect(brokenRules([...withTable, { path: 'src/cli/import.ts', text }])).toEqual([
    'src/cli/import.ts: uses dust, a table of src/tools/sweeper',
  ])
})

test.each([
  "const day = db.kind === 'postgres' ? 1 : 2",
  "const at = ({ kind }: Db) => kind === 'sqlite'",
  'const same = other(db.kind)',
  "type Which = Db['kind']",
  "const f = (db: Pick<Db, 'q' | 'kind'>) => db",
  'const dust = ({ int, kind }: Schema): Migration => runAll(statements[kind])',
  'const dust = (schema: Schema) => statements[schema.kind]',
  'const statements = { sqlite: [], postgres: [] }',
])('only platform/db may check which database is in use: %s', (text) => {
  expect(brokenIn('src/entries/store.ts', text)).toHaveLength(1)
  expect(brokenIn('src/tools/sweeper/migrations/0003-dust.ts', text)).toHaveLength(1)
  expect(brokenIn('src/cli/export.ts', text)).toHaveLength(1)
  expect(brokenIn('src/platform/db/rows.ts', text)).toEqual([])
  expect(brokenIn('src/entries/store.test.ts', text)).toEqual([])
})

test('only code that opens a database may import the files of one dialect', () => {
  expect(importing('src/entries/store.ts', '../platform/db/sqlite/open.ts')).toHaveLength(1)
  expect(importing('src/main.ts', './platform/db/postgres/pool.ts')).toEqual([])
})

test.each([
  'sql`select 1 from job for update`',
  'sql`select 1 from job for no key update skip locked`',
  'sql`select 1 from entry\n      for key share of entry`',
  'sql`lock table job`',
  'query.forUpdate()',
  'query.forNoKeyUpdate()',
  'query.forKeyShare()',
])('only platform/db/locks.ts may take locks: %s', (text) => {
  expect(brokenIn('src/entries/store.ts', text)).toHaveLength(1)
  expect(brokenIn('src/platform/jobs/jobs.ts', text)).toHaveLength(1)
  expect(brokenIn('src/platform/db/locks.ts', text)).toEqual([])
})

test.each(["sql`select pg_advisory_xact_lock(hashtext('a'))`", 'sql`select pg_try_advisory_lock(1)`'])(
  'rejects advisory locks, which any client of the database could block: %s',
  (text) => {
    expect(brokenIn('src/entries/store.ts', text)).toHaveLength(1)
    expect(brokenIn('src/platform/db/locks.ts', text)).toHaveLength(1)
  },
)

test('every package that the server uses is a production dependency', () => {
  expect(missingPackages(dirname(import.meta.dirname))).toEqual([])
})

test('finds the server’s packages by following every form of import from its entry files', () => {
  const main = `import { b } from '@scope/b/deep'\nimport './app.ts'\nimport './app.tsx'\nimport 'node:fs'`
  const files = {
    'src/main.ts': main,
    'src/app.ts': "const c = () => import('c')\nrequire.resolve('d/file.css')",
    'src/app.tsx': "import 'react'",
    'src/lonely.ts': "import 'nobody'",
    'src/ui/fonts.css': 'src: url("@fonts/a/a.woff2") format("woff2");',
  }
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }))
  expect(serverPackages(sources)).toEqual(['@fonts/a', '@scope/b', 'c', 'd'])
})
