import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { freshPostgres } from '../../test/support/database/fresh-postgres.ts'
import { type Installation, installation, makeBackup, seedUser } from '../../test/support/installation.ts'
import { doctor } from './doctor.ts'
import { rotateSecret } from './secrets.ts'
import { withDatabase } from './terminal.ts'

let place: Installation
beforeEach(() => {
  place = installation()
})
const having = (env: Record<string, string>): Installation => ({ ...place, env })
const inData = (name: string) => join(place.data, name)

/** Runs doctor and returns its output without the "ok" lines, then "well" or the error message. */
async function examined(env: Record<string, string> = {}) {
  place.lines.length = 0
  const end = await doctor([], having(env)).then(
    () => 'well',
    (error: Error) => error.message,
  )
  return [place.lines.filter((line) => !line.startsWith('ok ')).join('\n'), end]
}

test('reports no problems for a healthy installation', async () => {
  await seedUser(place)
  expect(await examined()).toEqual([
    expect.stringMatching(/^warning +There is no backup yet\.\n +→ Make one: .+$/),
    'well',
  ])
  await makeBackup(place)
  expect(await examined()).toEqual(['', 'well'])
  expect(place.lines.map((line) => line.slice(9))).toEqual([
    'The configuration is valid.',
    expect.stringContaining('is complete and private.'),
    'The database is intact.',
    'The schema is up to date.',
    'APP_SECRET decrypts every secret in the database.',
    expect.stringMatching(/^The last backup is from \d{4}-/),
    'There is disk space for the next backup.',
  ])
})

test('reports missing files, wrong secrets and invalid variables, and creates nothing', async () => {
  expect(await examined()).toEqual([expect.stringContaining('There is no data folder at'), 'There is 1 problem.'])
  mkdirSync(place.data)
  expect(await examined()).toEqual([expect.stringContaining('There is no database in'), 'There is 1 problem.'])
  rmSync(place.data, { recursive: true })
  await seedUser(place)
  renameSync(inData('app-secret'), join(place.folder, 'app-secret'))
  expect(await examined()).toEqual([expect.stringContaining('app-secret is missing'), 'There is 1 problem.'])
  const foreign = 'a secret of more than thirty-two characters'
  expect((await examined({ APP_SECRET: foreign }))[0]).toContain("APP_SECRET can't decrypt 2 of 2 secrets")
  const own = readFileSync(join(place.folder, 'app-secret'), 'utf8').trim()
  const changing = { APP_SECRET: foreign, APP_SECRET_PREVIOUS: own }
  expect((await examined(changing))[0]).toContain('2 of 2 secrets in the database are still encrypted with APP_SECRET_')
  await rotateSecret([], having(changing))
  expect((await examined(changing))[0]).toContain('Nothing in the database needs APP_SECRET_PREVIOUS')
  expect(await examined({ PORT: 'x', SIGN_UP: 'y' })).toEqual([
    expect.stringContaining('PORT must'),
    'There are 2 problems.',
  ])
})

test('does not mistake a part of an address for a secret', async () => {
  await seedUser(place)
  await makeBackup(place)
  const settings = JSON.stringify({ url: `https://example.com/v1.${'a1'.repeat(20)}`, note: `"v1.${'b'.repeat(40)}"` })
  await withDatabase(place, (db) => db.q.updateTable('entry').set({ settings }).execute())
  expect(await examined()).toEqual(['', 'well'])
})

test('distinguishes a damaged database, a newer version and broken references', async () => {
  await seedUser(place)
  await withDatabase(place, async (db) => {
    await sql`insert into migration (name, timestamp) values ('9999-later', '')`.execute(db.q)
  })
  expect(await examined()).toEqual([
    expect.stringContaining('A newer ToolBox has upgraded the database (9999-later)'),
    'There is 1 problem.',
  ])
  await withDatabase(place, async (db) => {
    await sql`delete from migration where name = '9999-later'`.execute(db.q)
    await sql`pragma foreign_keys = off`.execute(db.q)
    await sql`update entry set owner_id = 'nobody'`.execute(db.q)
  })
  expect((await examined())[0]).toContain("1 rows refer to others that don't exist (in entry)")
  const bytes = readFileSync(inData('toolbox.db'))
  writeFileSync(inData('toolbox.db'), bytes.fill('x', 4_096 * 3))
  expect(await examined()).toEqual([
    expect.stringMatching(/^problem +The database (?:is damaged|can't be read)/),
    'There is 1 problem.',
  ])
})

test('warns about old or damaged backups, files readable by others and leftovers of a restore', async () => {
  await seedUser(place)
  const name = await makeBackup(place)
  const old = 'toolbox-2020-01-01T00-00-00Z.db'
  renameSync(inData(`backups/${name}`), inData(`backups/${old}`))
  writeFileSync(inData(`backups/${old}`), readFileSync(inData(`backups/${old}`)).subarray(0, -1))
  utimesSync(inData(`backups/${old}`), 0, 0)
  await withDatabase(
    place,
    async (db) => void (await db.q.deleteFrom('setting').where('key', '=', 'backups').execute()),
  )
  chmodSync(inData('app-secret'), 0o644)
  mkdirSync(inData('restoring'))
  const [found, end] = await examined()
  for (const words of [
    'app-secret can be opened by other users',
    'was left by a restore',
    'The last backup is from 2020-01-01 00:00:00 UTC, although',
    `The backup ${old} is damaged`,
  ])
    expect(found).toContain(words)
  expect(end).toBe('well')
  expect((await examined({ BACKUP_EVERY: '0' }))[0]).toContain('No backups are made')
  const file = join(place.folder, 'a file')
  writeFileSync(file, '')
  expect((await examined({ BACKUP_DIR: file }))[0]).toContain(`${file} is not a folder.`)
})

test('checks PostgreSQL too', async () => {
  const { url, drop } = await freshPostgres()
  const env = { DATABASE_URL: url, APP_SECRET: 'a secret of more than thirty-two characters' }
  expect(await examined(env)).toEqual([
    expect.stringMatching(/^problem +There is nothing in the database yet\.\n +→ Start ToolBox/),
    'There is 1 problem.',
  ])
  await seedUser(having(env))
  expect(await examined(env)).toEqual(['', 'well'])
  await drop()
  expect((await examined(env))[1]).toBe('There is 1 problem.')
})
