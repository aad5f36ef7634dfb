import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createPostgres, freshPostgres } from '../test/support/database/fresh-postgres.ts'
import { startPostgres } from '../test/support/database/start-postgres.ts'
import { mountDisk } from '../test/support/mount-disk.ts'
import { adminEnv, buildServer, processEnv, startProcess } from '../test/support/process.ts'
import { trackProcess } from '../test/support/program.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { run } from './cli/run.ts'
import { migrate } from './migrations.ts'
import type { Db } from './platform/db/open.ts'
import { openPostgres } from './platform/db/postgres/open.ts'
import { openSqlite } from './platform/db/sqlite/open.ts'

const secret = 'a secret of at least thirty-two characters'
let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Returns what the server prints if it can't start. */
async function start(env: Record<string, string> = {}, user?: number) {
  const child = spawn(process.execPath, [await buildServer()], {
    cwd: folder,
    env: { ...processEnv, APP_SECRET: secret, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user && { uid: user }),
    // Ends a server that does start.
    timeout: 100_000,
  })
  const { printed } = trackProcess(child)
  const [code]: (number | null)[] = await once(child, 'close')
  return { code, output: printed().replaceAll(folder, '…') }
}
/** Runs a command, which opens the database as the server does, and returns what it prints. */
async function command(args: string[], env: Record<string, string> = {}) {
  let output = ''
  const print = (line: unknown) => {
    output += `${line}\n`
  }
  const code = await run(args, { env: { APP_SECRET: secret, ...env }, folder, say: print, complain: print })
  return { code, output: output.replaceAll(folder, '…') }
}
const invite = ['invite', '--tools', '1']
const makeNewer = (db: Db) => sql`insert into migration values ('9999-newer', '')`.execute(db.q)

test('refuses a database of a newer ToolBox with a readable message', async () => {
  const db = openSqlite(join(folder, 'data'))
  await migrate(db)
  await makeNewer(db)
  await db.close()
  const output =
    'The database in …/data was created by a newer ToolBox (9999-newer). Start that version, or restore a backup.\n'
  expect(await Promise.all([start(), command(invite)])).toEqual(Array(2).fill({ code: 1, output }))
})

test('refuses a PostgreSQL database of a newer ToolBox', async () => {
  const { url, drop } = await freshPostgres()
  const db = openPostgres(url)
  await migrate(db)
  await makeNewer(db)
  await sql`insert into migration_version values ('9999-newer', '9.9.9')`.execute(db.q)
  await db.close()
  const { code, output } = await start({ DATABASE_URL: url })
  expect([code, output]).toEqual([
    1,
    'The database at DATABASE_URL was created by a newer ToolBox (9.9.9, 9999-newer). Start that version, or restore a backup.\n',
  ])
  await drop()
})

test('start, doctor and /readyz report a read-only role and a standby until they can write again', async () => {
  const postgres = await startPostgres([])
  onTestFinished(postgres.stop)
  const { name, url } = await createPostgres(postgres.url)
  const asAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await asAdmin(`create role box login password 'box'; alter database ${name} owner to box`)
  const env = { DATABASE_URL: Object.assign(new URL(url), { username: 'box', password: 'box' }).href }
  const server = await startProcess({ ...env, APP_SECRET: secret, DATA_DIR: folder })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const readiness = async () => (await fetch(`${server.url}/readyz`)).json()
  const readOnly = {
    status: 'unavailable',
    why: 'read-only',
    error: expect.stringMatching(/^The database is read-only at the moment\./),
  }
  const expectNamed = async (words: string) => {
    await expect.poll(readiness).toEqual(readOnly)
    expect(await start(env)).toEqual({ code: 1, output: `${words}\n` })
    expect(await command(['doctor'], env)).toEqual({ code: 1, output: expect.stringContaining(words) })
  }

  await asAdmin('alter role box set default_transaction_read_only = on')
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'box'`)
  await expectNamed(
    `PostgreSQL lets box only read in the database ${name}. Set default_transaction_read_only to off for the role or the database, or use another role.`,
  )
  await asAdmin('alter role box reset default_transaction_read_only')
  await expect.poll(readiness).toEqual({ status: 'ready' })

  await postgres.becomeStandby()
  await expectNamed('DATABASE_URL leads to a standby, which only reads. Set it to the primary server.')
  await asAdmin('select pg_promote()')
  await expect.poll(readiness).toEqual({ status: 'ready' })
})

test('reports a damaged database with what to do, and a backup can replace it', async () => {
  const data = join(folder, 'data')
  const db = openSqlite(data)
  await migrate(db)
  await sql`vacuum into ${join(folder, 'good.db')}`.execute(db.q)
  await db.close()
  const file = join(data, 'toolbox.db')
  const damage = () => {
    writeFileSync(file, readFileSync(file).fill('x', 0, 200))
    writeFileSync(`${file}-wal`, 'old')
  }
  damage()
  const output =
    'The database in …/data is damaged (file is not a database). Restore a backup with npm run toolbox -- restore FILE.\n'
  expect(await Promise.all([start(), command(invite)])).toEqual(Array(2).fill({ code: 1, output }))
  damage()
  expect(await command(['restore', 'good.db'])).toEqual({ code: 0, output: expect.stringContaining('Restored') })
  const restored = openSqlite(data)
  await migrate(restored)
  await restored.close()
})

test('reports a port that only root may open, and not the data folder', async ({ skip }) => {
  const lowest = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  if (lowest <= 80) skip('Every user may open every port here.')
  chmodSync(folder, 0o777)
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined
  const { output } = await start({ PORT: '80' }, nobody)
  if (output.includes('Cannot find module')) skip('Only root may read this folder.')
  expect(output).toBe("This user isn't allowed to open port 80. Set PORT to another one.\n")
})

test('reports a DATA_DIR that cannot be created', async () => {
  const output = "DATA_DIR /proc/toolbox/data can't be created. Set DATA_DIR to another folder.\n"
  const env = { DATA_DIR: '/proc/toolbox/data', APP_SECRET: '' }
  expect(await start(env)).toEqual({ code: 1, output })
})

test('reports a DATA_DIR that is not a folder', async () => {
  writeFileSync(join(folder, 'data'), 'a file')
  const output = 'DATA_DIR …/data is not a folder. Set DATA_DIR to a folder.\n'
  const outcomes = await Promise.all([start(), command(invite, { APP_SECRET: '' })])
  expect(outcomes).toEqual(Array(2).fill({ code: 1, output }))
})

test('reports a database that cannot be written', async () => {
  // A folder in place of the file stops even root.
  mkdirSync(join(folder, 'data', 'toolbox.db'), { recursive: true })
  const output =
    "ToolBox can't read or write in DATA_DIR …/data. Check the owner and permissions of the folder and its files.\n"
  expect(await start()).toEqual({ code: 1, output })
})

test('reports a full disk with its folder, and starts once there is room again', async ({ skip }) => {
  const disk = mountDisk(200) ?? skip('This user may not mount a disk.')
  onTestFinished(disk.remove)
  const data = join(disk.folder, 'data')
  const output = 'The disk of DATA_DIR DATA is full. Free some space, then start again.\n'
  const outcome = await start({ DATA_DIR: data })
  expect({ ...outcome, output: outcome.output.replace(data, 'DATA') }).toEqual({ code: 1, output })
  execFileSync('mount', ['-o', 'remount,size=16m', disk.folder])
  // With an admin and all files in place, the server writes nothing else before it listens.
  const env = { DATA_DIR: data, APP_SECRET: secret, ...adminEnv }
  await (await startProcess(env)).end('SIGKILL')
  expect(() => writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(32 * 1_024 * 1_024))).toThrow('ENOSPC')
  const second = await start(env)
  expect({ ...second, output: second.output.replace(data, 'DATA') }).toEqual({ code: 1, output })
})
