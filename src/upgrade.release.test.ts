import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { putRelease } from '../test/fixtures/released.ts'
import { mountDisk } from '../test/support/mount-disk.ts'
import { processEnv } from '../test/support/process.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { restore } from './cli/restore.ts'
import { withDatabase } from './cli/terminal.ts'
import { isMigrated } from './migrations.ts'
import { inspect } from './platform/db/sqlite/inspect.ts'
import { backUpBefore, upgrade } from './upgrade.ts'

const at = Date.UTC(2026, 10, 23, 12)
const newest = 'before-0009-planned-at-2026-11-23T12-00-00Z.db'
let folder: string
let data: string
let backups: string
const output: string[] = []
const say = (line: string) => void output.push(line)
const terminal = () => ({ env: { APP_SECRET: 'the first release keeps its secrets by this' }, folder, say })
const upgraded = (now = at) => withDatabase(terminal(), (db, config) => upgrade({ db, config, at: now, say }))
const isUpToDate = () => withDatabase(terminal(), isMigrated)

beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder, 'data')
  backups = join(data, 'backups')
  mkdirSync(data)
  putRelease('first-release', data)
  output.length = 0
})

const copies = () => readdirSync(backups).sort()
/** The numbers of rows that every upgrade must keep. */
const rowsIn = (file: string) => {
  const { users, entry, run, badge } = inspect(file).rows
  return { users, entry, run, badge }
}
const rowsNow = () => rowsIn(join(data, 'toolbox.db'))
const before = { users: 7, entry: 6, run: 5, badge: 2 }

test('an upgrade makes a backup first; a new database and a second start make none', async () => {
  await upgraded()
  expect(output).toEqual([expect.stringContaining(`Backed up the database as ${join(backups, newest)} before`)])
  const { migrations, rows } = inspect(join(backups, newest))
  expect([migrations.at(-1), rows]).toEqual(['0008-badge-journal', expect.objectContaining({ ...before, sessions: 0 })])
  expect([rowsNow(), await isUpToDate()]).toEqual([before, true])
  await upgraded()
  expect([output.length, copies()]).toEqual([1, [newest]])

  folder = temporaryFolder()
  await upgraded()
  expect([output.length, existsSync(join(folder, 'data', 'backups'))]).toEqual([1, false])
})

test.each(['copied', 'migrating'])('an upgrade killed in stage “%s” loses nothing and is repeated', async (when) => {
  const program = fileURLToPath(new URL('../test/support/database/killed-upgrade.ts', import.meta.url))
  const { signal } = spawnSync(process.execPath, [program, data, when], { env: processEnv })
  expect(signal).toBe('SIGKILL')
  expect([await isUpToDate(), rowsNow()]).toEqual([false, before])
  if (when === 'copied') expect(rowsIn(join(backups, copies()[0] ?? ''))).toEqual(before)
  await upgraded(Date.UTC(2100, 0))
  expect([rowsNow(), await isUpToDate()]).toEqual([before, true])
  expect(copies()).toEqual(['before-0009-planned-at-2100-01-01T00-00-00Z.db'])
})

test('an older ToolBox reports the newer version and the backup to go back to, which can be restored', async () => {
  await withDatabase(terminal(), async (db, config) => {
    await upgrade({ db, config, at, say })
    await backUpBefore({ db, config, at, migration: '9998-newer' })
    for (const name of ['9998-newer', '9999-newest']) {
      await sql`insert into migration values (${name}, '')`.execute(db.q)
      await sql`insert into migration_version values (${name}, '9.9.8')`.execute(db.q)
    }
    await sql`delete from entry`.execute(db.q)
  })
  const backup = join(backups, 'before-9998-newer-2026-11-23T12-00-00Z.db')
  await expect(upgraded()).rejects.toThrow(
    `The database in ${data} was created by a newer ToolBox (9.9.8, 9998-newer). Start that version, or restore the backup made before its upgrade: npm run toolbox -- restore "${backup}"`,
  )
  await restore([backup], terminal())
  await upgraded()
  expect([rowsNow(), await isUpToDate()]).toEqual([before, true])
})

test('keeps the newest backup of each of the last two upgrades, plain and encrypted, and other files', async () => {
  mkdirSync(backups)
  const others = ['before-0000-lunch-2026-11-23T11-00-00Z.db', 'toolbox.db']
  for (const name of others) writeFileSync(join(backups, name), '')
  const migrations = ['0001-a', '0002-b', '0002-b', '0003-c', 'restore']
  const backUpAll = (more: { backupPassphrase?: string }) =>
    withDatabase(terminal(), async (db, config) => {
      for (const [index, migration] of migrations.entries())
        await backUpBefore({ db, config: { ...config, ...more }, at: at + index * 1_000, migration })
    })
  await backUpAll({ backupPassphrase: 'correct horse battery staple' })
  await backUpAll({})
  const ofEach = [
    'before-0002-b-2026-11-23T12-00-02Z',
    'before-0003-c-2026-11-23T12-00-03Z',
    'before-restore-2026-11-23T12-00-04Z',
  ]
  expect(copies()).toEqual([...others, ...ofEach.flatMap((name) => [`${name}.db`, `${name}.sealed`])].sort())
})

test('does not upgrade without room for a backup', async ({ skip }) => {
  const disk = mountDisk(100) ?? skip('This user may not mount a disk.')
  onTestFinished(disk.remove)
  symlinkSync(disk.folder, backups)
  await expect(upgraded()).rejects.toThrow(
    /^The database must be backed up before it is upgraded\. There isn't enough disk space in .* are free\. Free some/,
  )
  expect([copies(), await isUpToDate(), rowsNow()]).toEqual([[], false, before])
})
