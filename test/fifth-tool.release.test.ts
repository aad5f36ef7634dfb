import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium, expect as inBrowser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules, sourceFiles } from './import-rules.ts'
import { launchOptions } from './support/browser.ts'
import { bothDialects } from './support/database/databases.ts'
import { freshPostgres } from './support/database/fresh-postgres.ts'
import { startTarget, type Target } from './support/page/target.ts'
import { admin, adminEnv, type Process, signedInClient, startProcess } from './support/process.ts'

const expectPage = inBrowser.configure({ timeout: 60_000 })
const root = dirname(import.meta.dirname)
const tree = mkdtempSync(join(tmpdir(), 'toolbox fünf-'))
const renamed = (text: string) =>
  text.replaceAll('keepalive', 'nudge').replaceAll('Keepalive', 'Nudge').replaceAll('KEEPALIVE', 'NUDGE')

/** Replaces the first occurrence of a text in a file of the tree; fails if there is none. */
function edit(path: string, that: string, replacement: string) {
  const text = readFileSync(join(tree, path), 'utf8')
  expect(text).toContain(that)
  writeFileSync(join(tree, path), text.replace(that, replacement))
}

const ofTests = /\.test\.\w+$/

/** Copies the sources and adds a copy of Keep Alive, renamed to Nudge, by the steps in CONTRIBUTING. */
function copyTree() {
  const checked = ['src', 'scripts', 'tsconfig.json', 'tsconfig.web.json']
  for (const name of [...checked, 'index.html', 'package.json', 'vite.config.ts'])
    cpSync(join(root, name), join(tree, name), { recursive: true, filter: (path) => !ofTests.test(path) })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const folder = join(tree, 'src/tools/nudge')
  cpSync(join(tree, 'src/tools/keepalive'), folder, { recursive: true })
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const path = join(file.parentPath, file.name)
    writeFileSync(path, renamed(readFileSync(path, 'utf8')))
  }
  edit('src/tools/nudge/terms.ts', "'Keep Alive'", "'Nudge'")
  edit('src/tools/nudge/terms.ts', "'keep-alive entry'", "'nudge'")
  // Names of tables and migrations must be unique.
  edit('src/tools/nudge/migrations.ts', "'0030-certificates'", "'9000-nudge-certificates'")
  edit('src/tools/nudge/migrations.ts', "'0068-awake'", "'9001-nudge-awake'")
  edit('src/tools/nudge/migrations.ts', 'create table awake', 'create table nudge_awake')
  edit('src/tools/nudge/migrations.ts', "'0070-awake-moved'", "'9002-nudge-awake-moved'")
  for (const use of ['state from awake', 'entry_id from awake', 'alter table awake'])
    edit('src/tools/nudge/migrations.ts', use, use.replace('awake', 'nudge_awake'))
  edit('src/tools/nudge/tables.ts', 'awake: {', 'nudge_awake: {')
  const state = join(folder, 'acts/state.ts')
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll(/'awake(?=['.])/g, "'nudge_awake"))
  edit('src/tools/nudge/migrations.ts', 'create table certificate', 'create table nudge_certificate')
  edit('src/tools/nudge/tables.ts', 'certificate: {', 'nudge_certificate: {')
  const certificates = join(folder, 'certificates.ts')
  writeFileSync(
    certificates,
    readFileSync(certificates, 'utf8').replaceAll(/(?<!type: )'certificate(?=['.])/g, "'nudge_certificate"),
  )
  edit('src/tools/index.ts', '= [', '= [nudgeTool, ')
  edit('src/tools/index.ts', 'import', "import { nudgeTool } from './nudge/tool.ts'\nimport")
}

/** Files that neither mention a tool nor belong to the copy; the usual type check covers them. */
const isChecked =
  /^src\/(?:shared|platform|ui|people|notices|sign-in|admission|profile|admin|entries|tools\/(?!nudge)\w+)\/.*\.tsx?$/

/** Excludes these files from the type check, of which they are most of the work. */
function skipTypeChecks() {
  for (const path of readdirSync(join(tree, 'src'), { recursive: true, encoding: 'utf8' }))
    if (isChecked.test(`src/${path}`)) edit(join('src', path), '', '// @ts-nocheck\n')
}

async function runProgram(program: string, ...args: string[]) {
  const env = { ...process.env, NODE_ENV: 'production' }
  const all = [join(root, 'node_modules', program), ...args]
  const [code] = await once(spawn(process.execPath, all, { cwd: tree, stdio: 'inherit', env }), 'exit')
  return code
}

let target: Target
const servers = new Map<string, Process>()
const endings: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  copyTree()
  target = await startTarget()
  const database = await freshPostgres()
  endings.push(database.drop, target.stop)
  expect(await runProgram('vite/bin/vite.js', 'build', '--logLevel', 'warn')).toBe(0)
  for (const dialect of bothDialects) {
    const server = await startProcess(
      {
        DATA_DIR: join(tree, dialect),
        ...(dialect === 'postgres' ? { DATABASE_URL: database.url } : {}),
        APP_SECRET: 'a secret of at least thirty-two characters',
        ...adminEnv,
        NUDGE_EVERY: '7m',
      },
      [],
      tree,
    )
    servers.set(dialect, server)
    endings.unshift(() => server.end('SIGKILL'))
  }
})
afterAll(async () => {
  for (const end of endings) await end()
  rmSync(tree, { recursive: true, force: true })
})

test.each(bothDialects)('a copied tool has working API calls, variables and scheduled jobs on %s', async (dialect) => {
  const call = await signedInClient(servers.get(dialect)!.url)
  const url = target.url(`/${dialect}`)
  const created = await call<{ id: string }>('POST', '/api/v1/nudge/', { url })
  expect(created.status).toBe(201)
  const read = () => call<{ history: { success: boolean }[] }>('GET', `/api/v1/nudge?id=${created.body.id}`)
  await expect.poll(async () => (await read()).body.history).toMatchObject([{ success: true }])
  expect(target.visits(`/${dialect}`)).toBe(1)
  expect((await call('GET', '/api/v1/keepalive/list')).body).toEqual([])
  expect((await call('GET', '/api/v1/config')).body).toMatchObject({ intervals: { nudge: 7 * 60_000 } })
  expect((await call('GET', '/api/v1/openapi.json')).body).toHaveProperty(['paths', '/api/v1/nudge/run'])
})

test('its four screens work in a real browser, and Home links to it', async () => {
  const { url } = servers.get('sqlite')!
  const browser = await chromium.launch(launchOptions())
  endings.unshift(() => browser.close())
  const page = await browser.newPage({ baseURL: url })
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.request.post('/api/auth/sign-in/username', { data: admin })

  await page.goto('/')
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Nudge/ })
    .first()
    .click()
  await expectPage(page).toHaveTitle('ToolBox - Nudge')
  await expectPage(page.getByRole('main')).toContainText('every 7 minutes')
  await page.getByRole('link', { name: 'Create' }).click()
  await expectPage(page).toHaveURL('/tools/nudge/create')
  await page.getByLabel('URL').fill(target.url('/seen'))
  await page.getByRole('button', { name: 'Save' }).click()
  await expectPage(page).toHaveURL(/\/tools\/nudge\/modify\?id=/)
  await expectPage(page.getByRole('list', { name: 'Runs' }).getByText('SUCCESS')).toHaveCount(1)
  // Each screen can also be opened directly.
  for (const path of ['/tools/nudge', '/tools/nudge/create', '/tools/nudge/modify', '/tools/nudge/viewlist'])
    expect((await page.goto(path))?.status(), path).toBe(200)
  await expectPage(page.getByRole('cell').filter({ hasText: target.url('/seen') })).toBeVisible()
  expect(complaints).toEqual([])
})

test('server and pages pass the type check with the copied tool', async () => {
  skipTypeChecks()
  const programs = ['tsconfig.json', 'tsconfig.web.json']
  expect(await Promise.all(programs.map((config) => runProgram('typescript/bin/tsc', '-p', config)))).toEqual([0, 0])
})

test('the sources follow the import rules with the copied tool', () => {
  expect(brokenRules(sourceFiles(tree))).toEqual([])
})

test('the browser bundle contains nothing of the server', () => {
  const assets = join(tree, 'dist/assets')
  const program = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const text = program.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n')
  expect(text).toContain('/tools/')
  for (const ofServer of ['NUDGE_EVERY', 'KEEPALIVE_EVERY', 'nudgeEvery', '"node:', '`node:', 'fastify', 'kysely'])
    expect(text.includes(ofServer), ofServer).toBe(false)
})
