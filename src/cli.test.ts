import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { freshPostgres } from '../test/support/database/fresh-postgres.ts'
import { cheapPasswords, processEnv } from '../test/support/process.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { createAdmin as addAdmin } from './accounts/set-up/bootstrap.ts'
import { withDatabase } from './cli/terminal.ts'
import { migrate } from './migrations.ts'
import { openSecrets, verifySecret } from './platform/crypto/secrets.ts'
import type { Db } from './platform/db/open.ts'
import { openPostgres } from './platform/db/postgres/open.ts'
import { openSqlite } from './platform/db/sqlite/open.ts'

const program = fileURLToPath(new URL('cli.ts', import.meta.url))
const password = 'a long enough pass phrase'
const secret = 'a secret of more than thirty-two characters'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

type Outcome = { code: number; out: string; err: string }
/** Runs the command as its own process; without input, stdin is empty, as for a service. */
function toolbox(args: string[], { input, env = {} }: { input?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [...cheapPasswords, program, ...args], {
    cwd: folder,
    env: { ...processEnv, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const outcome: Outcome = { code: -1, out: '', err: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    outcome.out += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    outcome.err += chunk
  })
  return new Promise<Outcome>((resolve) => child.on('close', (code) => resolve({ ...outcome, code: code ?? -1 })))
}

async function withDb<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(join(folder, 'data'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
/** An admin made as the command makes one, without a process of its own. */
const createAdmin = (name = 'admin', env: Record<string, string> = {}) =>
  withDatabase({ env, folder, say: () => {} }, async (db, config) => {
    await migrate(db)
    await verifySecret(db, openSecrets(config))
    await addAdmin(
      { config, db, now: Date.now, tell: async () => [] },
      { email: `${name}@example.com`, username: name, password },
    )
  })
const createByCommand = () =>
  toolbox(['admin', 'create', '--email', 'admin@example.com', '--username', 'admin'], { input: `${password}\n` })
const names = (db: Db) =>
  db.q
    .selectFrom('users')
    .select('cred_username')
    .orderBy('cred_username')
    .execute()
    .then((rows) => rows.map((row) => row.cred_username))

test('an admin is made with the password of stdin, once', async () => {
  expect(await createByCommand()).toMatchObject({ code: 0, err: '' })
  const again = await createByCommand()
  expect(again.code).toBe(1)
  expect(again.err).toMatch(/email|username/)
  expect(again.err).not.toContain(' at ')
  const user = await withDb((db) => db.q.selectFrom('users').selectAll().executeTakeFirstOrThrow())
  expect(JSON.parse(user.roles)).toEqual({ Admin: 2, Tools: 2 })
  expect(user.status).toBe(2)
})

test('without a password a one-time link is printed', async () => {
  const args = ['admin', 'create', '--email', 'a@example.com', '--username', 'admin']
  const { code, out } = await toolbox(args, { env: { BASE_URL: 'https://tools.example.com' } })
  expect(code).toBe(0)
  expect(out).toMatch(/https:\/\/tools\.example\.com\/auth\/setup#token=[\w-]{43}&for=admin/)
})

test('no link is printed for an email or username that somebody has', async () => {
  await createAdmin()
  const refused = async (email: string, username: string) => {
    const { code, out, err } = await toolbox(['admin', 'create', '--email', email, '--username', username])
    return { code, out, err }
  }
  const said = (what: string) => ({ code: 1, out: '', err: expect.stringContaining(`This ${what} is already in use.`) })
  expect(await refused('other@example.com', 'Admin')).toEqual(said('username'))
  expect(await refused('admin@example.com', 'other')).toEqual(said('email'))
})

test('a weak password and an unknown user are refused in a sentence', async () => {
  const args = ['admin', 'create', '--email', 'a@example.com', '--username', 'admin']
  expect(await toolbox(args, { input: 'short' })).toMatchObject({ code: 1, err: expect.stringContaining('password: ') })
  const nobody = await toolbox(['admin', 'reset-password', '--username', 'nobody'], { input: password })
  expect(nobody).toMatchObject({ code: 1, err: 'User not found.\n' })
})

test('a new password replaces the old hash', async () => {
  await createAdmin()
  const hash = () => withDb((db) => db.q.selectFrom('provider_links').select('password').executeTakeFirstOrThrow())
  const before = await hash()
  const { code } = await toolbox(['admin', 'reset-password', '--username', 'Admin'], { input: 'another long phrase' })
  expect(code).toBe(0)
  expect((await hash()).password).not.toBe(before.password)
})

test('a lost second factor is reset by the username', async () => {
  await createAdmin()
  await withDb(async (db) => {
    const { id } = await db.q.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const none = { codes: null, since: null, last_step: null, new_secret: null, new_codes: null }
    await db.q
      .insertInto('second_factor')
      .values({ user_id: id, secret: 'sealed', ...none })
      .execute()
  })
  const reset = () => toolbox(['admin', 'reset-second-factor', '--username', 'Admin'])
  expect(await reset()).toMatchObject({ code: 0, out: expect.stringContaining('Reset the two-step sign-in of Admin') })
  expect(await reset()).toMatchObject({ code: 1, err: 'This user has no two-step sign-in to reset.\n' })
})

test('a backup taken while the database is open brings that moment back', async () => {
  await createAdmin()
  const taken = await withDb(async (db) => {
    await names(db)
    return toolbox(['backup', 'one.db'])
  })
  expect(taken.code).toBe(0)
  await createAdmin('second')
  expect(await toolbox(['restore', 'one.db'])).toMatchObject({ code: 0, err: '' })
  expect(await withDb(names)).toEqual(['admin'])
  const kept = readdirSync(join(folder, 'data')).filter((name) => name.includes('.before-'))
  expect(kept).toHaveLength(1)
  expect(statSync(join(folder, 'one.db')).mode & 0o777).toBe(0o600)
  expect(await toolbox(['backup', 'one.db'])).toMatchObject({ code: 1, err: expect.stringContaining('already exists') })
})

test('restore refuses a running server, a foreign file and a foreign secret, and changes nothing', async () => {
  await createAdmin()
  await toolbox(['backup', 'one.db'])
  await createAdmin('second')
  const open = openSqlite(join(folder, 'data'))
  await names(open)
  const refused = await toolbox(['restore', 'one.db'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Stop it first') })
  expect(await names(open)).toEqual(['admin', 'second'])
  await open.close()
  writeFileSync(join(folder, 'text'), 'no database at all, only a text that goes on for a while')
  expect((await toolbox(['restore', 'text'])).err).toContain('not a valid ToolBox database')
  expect((await toolbox(['restore', 'nothing'])).err).toContain('does not exist')
  const foreign = await toolbox(['restore', 'one.db'], { env: { APP_SECRET: secret } })
  expect(foreign.err).toContain('another APP_SECRET')
  expect(await withDb(names)).toEqual(['admin', 'second'])
  expect(readdirSync(join(folder, 'data')).sort()).toEqual(['app-secret', 'toolbox.db'])
})

test('rows move from SQLite to PostgreSQL and back unchanged', async () => {
  const { url, drop } = await freshPostgres()
  const sqlite = { APP_SECRET: secret }
  const postgres = { APP_SECRET: secret, DATABASE_URL: url }
  await createAdmin('admin', sqlite)
  await withDb(fillWithWork)
  expect((await toolbox(['export', 'one.jsonl'], { env: sqlite })).code).toBe(0)
  expect(await toolbox(['import', 'one.jsonl'], { env: postgres })).toMatchObject({ code: 0, err: '' })
  const db = openPostgres(url)
  expect(await names(db)).toEqual(['admin'])
  await db.close()
  expect((await toolbox(['export', 'two.jsonl'], { env: postgres })).code).toBe(0)
  expect((await toolbox(['import', 'two.jsonl', '--replace'], { env: sqlite })).code).toBe(0)
  expect((await toolbox(['export', 'three.jsonl'], { env: sqlite })).code).toBe(0)
  const imported = (line: string) => line.includes('"action":"data.import"')
  const counted = (line: string) => line.startsWith('{"rows":')
  const moved = (name: string) => linesOf(name).filter((line) => !imported(line) && !counted(line))
  expect(moved('three.jsonl')).toEqual(moved('one.jsonl'))
  expect(linesOf('three.jsonl').filter(imported)).toHaveLength(2)
  expect((await toolbox(['backup', 'copy.db'], { env: sqlite })).code).toBe(0)
  const commands = await withDb(({ q }) =>
    q.selectFrom('audit').select(['action', 'target']).where('action', 'like', 'data.%').orderBy('at').execute(),
  )
  expect(commands.slice(-2)).toEqual([
    { action: 'data.export', target: 'three.jsonl' },
    { action: 'data.backup', target: 'copy.db' },
  ])
  await drop()
})

test('an import is all or nothing', async () => {
  await createAdmin()
  await toolbox(['export', 'one.jsonl'])
  expect((await toolbox(['import', 'one.jsonl'])).err).toContain('--replace')
  const lines = readFileSync(join(folder, 'one.jsonl'), 'utf8').split('\n')
  writeFileSync(join(folder, 'cut.jsonl'), lines.slice(0, 2).join('\n'))
  expect((await toolbox(['import', 'cut.jsonl', '--replace'])).err).toContain('is incomplete')
  const other = { APP_SECRET: secret }
  expect((await toolbox(['import', 'one.jsonl', '--replace'], { env: other })).err).toContain(
    'APP_SECRET is not the one',
  )
  expect(await withDb(names)).toEqual(['admin'])
})

test('config shows what is in force without secrets, and all mistakes', async () => {
  const env = { APP_SECRET: secret, PORT: '4000' }
  const { code, out } = await toolbox(['config'], { env })
  expect(code).toBe(0)
  expect(out).toMatch(/^PORT +4000 {2}\[environment\]$/m)
  expect(out).toMatch(/^BASE_URL +http:\/\/localhost:4000 /m)
  expect(out).not.toContain(secret)
  const wrong = await toolbox(['config'], { env: { PORT: 'x', SIGN_UP: 'y' } })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringMatching(/PORT[\s\S]*SIGN_UP/) })
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test('the version is that of the package, which the changelog and the lock file name, too', async () => {
  const { version } = packageJson
  expect(await toolbox(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  const textOf = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
  const [newest] = textOf('CHANGELOG.md').matchAll(/^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/gm)
  expect([newest?.[1], JSON.parse(textOf('package-lock.json')).version]).toEqual([version, version])
})

test.each([[[]], [['dance']], [['backup']], [['admin', 'create']], [['config', '--loud']], [['import', 'a', 'b']]])(
  '%j is answered with the usage',
  async (args) => {
    const { code, err } = await toolbox(args)
    expect(code).toBe(2)
    expect(err).toContain('Usage:')
  },
)

const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').sort()

async function fillWithWork(db: Db): Promise<void> {
  await migrate(db)
  const { id } = await db.q.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const settings = '{"url":"https://ü.example/","interval":null}'
  const entry = { id: 'e', tool: 'keepalive', owner_id: id, status: 1, settings } as const
  await db.q
    .insertInto('entry')
    .values({ ...entry, address: null, created_at: 1_700_000_000_000, updated_at: 2 })
    .execute()
  const runs = Array.from({ length: 1_500 }, (_, at) => ({ entry_id: 'e', at, success: 1, duration: 3 }) as const)
  for (const run of runs)
    await db.q
      .insertInto('run')
      .values({ ...run, count: null, note: 'a "note"' })
      .execute()
}
