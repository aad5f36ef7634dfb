import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { freshPostgres } from '../../test/support/database/fresh-postgres.ts'
import { createAdmin, usernames, withDb } from '../../test/support/scenes/command-scene.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { migrate } from '../migrations.ts'
import type { Db } from '../platform/db/open.ts'
import { openPostgres } from '../platform/db/postgres/open.ts'
import { run } from './run.ts'

const secret = 'a secret of more than thirty-two characters'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Runs a command as the program does, in this process. */
async function toolbox(args: string[], { env = {} }: { env?: Record<string, string> } = {}) {
  const output = { out: '', err: '' }
  const code = await run(args, {
    env,
    folder,
    say: (line) => {
      output.out += `${line}\n`
    },
    complain: (line) => {
      output.err += `${line}\n`
    },
  })
  return { code, ...output }
}

test('resets a lost second factor by username', async () => {
  await createAdmin(folder)
  await withDb(folder, async (db) => {
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

test('prints an invitation link without storing its token, and creates none for an invalid level', async () => {
  const args = ['invite', '--tools', '1', '--email', 'Ada@example.com', '--uses', '3', '--days', '2']
  const { code, out } = await toolbox(args, { env: { BASE_URL: 'https://tools.example.com' } })
  const [, token = ''] = /https:\/\/tools\.example\.com\/auth\/invite#([\w-]{43})\n/.exec(out) ?? []
  expect([code, token]).toEqual([0, expect.stringMatching(/./)])
  expect(out).toContain('within 2 days to join (it works 3 times)')
  expect(out).toContain('this email, which stays unverified')
  const wrong = await toolbox(['invite', '--tools', '3'])
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--tools: Use a level from 0 to 2.') })
  const rows = await withDb(folder, (db) => db.q.selectFrom('invite').selectAll().execute())
  expect(rows).toMatchObject([{ email: 'ada@example.com', uses: 3, used: 0, created_by: null, mailed: 0 }])
  expect(JSON.parse(rows[0]!.roles)).toEqual({ Admin: 0, Tools: 1 })
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('restore rejects a foreign file or secret, and accepts a backup made while the database was open', async () => {
  await createAdmin(folder)
  const backup = await withDb(folder, async (db) => {
    await usernames(db)
    return toolbox(['backup', 'one.db'])
  })
  expect(backup.code).toBe(0)
  expect(await toolbox(['backup', 'one.db'])).toMatchObject({ code: 1, err: expect.stringContaining('already exists') })
  await createAdmin(folder, 'second')
  writeFileSync(join(folder, 'text'), 'no database at all, only a text that goes on for a while')
  expect((await toolbox(['restore', 'text'])).err).toContain('not a valid ToolBox database')
  expect((await toolbox(['restore', 'nothing'])).err).toContain('does not exist')
  const foreign = await toolbox(['restore', 'one.db'], { env: { APP_SECRET: secret } })
  expect(foreign.err).toContain('another APP_SECRET')
  expect(await withDb(folder, usernames)).toEqual(['admin', 'second'])
  expect(readdirSync(join(folder, 'data')).sort()).toEqual(['app-secret', 'toolbox.db'])
  expect(await toolbox(['restore', 'one.db'])).toMatchObject({ code: 0, err: '' })
  expect(await withDb(folder, usernames)).toEqual(['admin'])
})

test.each(['backup', 'export'])('%s refuses to write to the names of SQLite’s own files', async (command) => {
  await createAdmin(folder)
  symlinkSync(join(folder, 'data'), join(folder, 'link'))
  for (const name of ['data/toolbox.db-wal', 'data/toolbox.db-shm', 'data/toolbox.db-JOURNAL', 'link/toolbox.db-wal']) {
    const err = `${join(folder, name)} is a file of the database. Choose another name.\n`
    expect(await toolbox([command, name])).toEqual({ code: 1, out: '', err })
    expect(existsSync(join(folder, name))).toBe(false)
  }
  expect((await toolbox([command, 'toolbox.db-wal'])).code).toBe(0)
})

test('rows move from SQLite to PostgreSQL and back unchanged', async () => {
  const { url, drop } = await freshPostgres()
  const sqlite = { APP_SECRET: secret }
  const postgres = { APP_SECRET: secret, DATABASE_URL: url }
  await createAdmin(folder, 'admin', sqlite)
  await withDb(folder, fillWithWork)
  expect((await toolbox(['export', 'one.jsonl'], { env: sqlite })).code).toBe(0)
  expect(await toolbox(['import', 'one.jsonl'], { env: postgres })).toMatchObject({ code: 0, err: '' })
  const db = openPostgres(url)
  expect(await usernames(db)).toEqual(['admin'])
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
  const commands = await withDb(folder, ({ q }) =>
    q.selectFrom('audit').select(['action', 'target']).where('action', 'like', 'data.%').orderBy('at').execute(),
  )
  expect(commands.slice(-2)).toEqual([
    { action: 'data.export', target: 'three.jsonl' },
    { action: 'data.backup', target: 'copy.db' },
  ])
  await drop()
})

test('any text from SQLite can be imported into PostgreSQL, with a mark for what it cannot store', async () => {
  const { url, drop } = await freshPostgres()
  await createAdmin(folder, 'admin', { APP_SECRET: secret })
  const unit = fc.constantFrom('a', '\0', '\ud800', '\udfff', '\\', '"', '\\u0000', '\\ud83d', 'é', '😀')
  const texts = fc.sample(fc.string({ unit }), { numRuns: 100, seed: 7 })
  const values = [...texts, ...texts.map((text) => JSON.stringify({ text }))]
  await withDb(folder, async ({ q }) => {
    await q.updateTable('users').set({ name: 'a\0b' }).execute()
    await q
      .insertInto('setting')
      .values(values.map((value, index) => ({ key: `odd ${index}`, value })))
      .execute()
  })
  expect((await toolbox(['export', 'odd.jsonl'], { env: { APP_SECRET: secret } })).code).toBe(0)
  const postgres = { APP_SECRET: secret, DATABASE_URL: url }
  expect(await toolbox(['import', 'odd.jsonl'], { env: postgres })).toMatchObject({ code: 0, err: '' })
  const db = openPostgres(url)
  expect(await db.q.selectFrom('users').select('name').execute()).toEqual([{ name: 'a\ufffdb' }])
  const { rows } = await sql<{ text: string }>`select value::jsonb ->> 'text' as text from setting
    where key like 'odd %' and substr(key, 5)::int >= 100 order by substr(key, 5)::int`.execute(db.q)
  expect(rows.map(({ text }) => text)).toEqual(texts.map((text) => text.toWellFormed().replaceAll('\0', '\ufffd')))
  await db.close()
  await drop()
})

test('an import is all or nothing', async () => {
  await createAdmin(folder)
  await toolbox(['export', 'one.jsonl'])
  expect((await toolbox(['import', 'one.jsonl'])).err).toContain('--replace')
  const lines = readFileSync(join(folder, 'one.jsonl'), 'utf8').split('\n')
  writeFileSync(join(folder, 'cut.jsonl'), lines.slice(0, 2).join('\n'))
  expect((await toolbox(['import', 'cut.jsonl', '--replace'])).err).toContain('is incomplete')
  const other = { APP_SECRET: secret }
  expect((await toolbox(['import', 'one.jsonl', '--replace'], { env: other })).err).toContain(
    'APP_SECRET is not the one',
  )
  expect(await withDb(folder, usernames)).toEqual(['admin'])
})

test('config prints the effective values without secrets, and all mistakes', async () => {
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

test('the version matches package.json, the changelog and the lock file', async () => {
  const { version } = packageJson
  expect(await toolbox(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  const textOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  const [newest] = textOf('CHANGELOG.md').matchAll(/^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/gm)
  expect([newest?.[1], JSON.parse(textOf('package-lock.json')).version]).toEqual([version, version])
})

test.each([
  [[], 'No command given.'],
  [['dance'], 'Unknown command: dance.'],
  [['backup'], 'Enter exactly one FILE.'],
  [['admin', 'create'], 'admin create needs --email and --username.'],
  [['config', '--loud'], 'config takes no arguments.'],
  [['import', 'a', 'b'], 'Enter exactly one FILE.'],
])('%j prints the error and the usage', async (args, wrong) => {
  const { code, out, err } = await toolbox(args)
  expect([code, out, err.split('\n\n')[0]]).toEqual([2, '', wrong])
  expect(err).toContain('Usage:')
})

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
  const run = { entry_id: 'e', success: 1, duration: 3, count: null, note: 'a "note"' } as const
  const runs = Array.from({ length: 1_500 }, (_, at) => ({ ...run, at }))
  await db.q.insertInto('run').values(runs).execute()
}
