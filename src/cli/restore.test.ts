import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, inject, test } from 'vitest'
import known from '../../test/fixtures/release-0.2/known.json' with { type: 'json' }
import { putRelease } from '../../test/fixtures/released.ts'
import {
  copyBackup,
  dumpRows,
  encryptedBackupEnv,
  type Installation,
  installation,
  isUserOrEntryRow,
  makeBackup,
  passphrase,
  restore,
  seedUser,
  withoutSessions,
} from '../../test/support/installation.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { migrate } from '../migrations.ts'
import { backups } from './backups.ts'
import { withDatabase } from './terminal.ts'

let ada: Installation
let before: string[]
beforeEach(async () => {
  ada = installation()
  await seedUser(ada)
  before = await dumpRows(ada)
})

test('a plain backup restores every row except sessions, and the previous database is kept', async () => {
  const name = await makeBackup(ada)
  await seedUser(ada, 'eve')
  await restore([name], ada)
  expect(await dumpRows(ada)).toEqual(withoutSessions(before))
  const [previous = ''] = ada.files().filter((file) => file.includes('.before-'))
  expect(ada.files().sort()).toEqual(['app-secret', 'backups', 'toolbox.db', previous])
  await restore([join(ada.data, previous)], ada)
  expect((await dumpRows(ada)).filter(isUserOrEntryRow)).toHaveLength(4)
  await backups([], ada)
  expect(ada.lines.at(-1)).toMatch(/^toolbox-\S+Z\.db +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ kB +no +[1-9]\d* +yes$/)
})

test('a write-ahead log whose database is missing is put aside and does not get into the restored one', async () => {
  const name = await makeBackup(ada)
  const file = join(ada.data, 'toolbox.db')
  const other = new DatabaseSync(file)
  other.exec('select * from users')
  await seedUser(ada, 'eve')
  const log = readFileSync(`${file}-wal`)
  other.close()
  rmSync(file)
  writeFileSync(`${file}-wal`, log)
  await restore([name], ada)
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(await dumpRows(ada)).toEqual(withoutSessions(before))
  const aside = readdirSync(ada.data).find((one) => /\.before-.*-wal$/.test(one)) ?? ''
  expect(readFileSync(join(ada.data, aside))).toEqual(log)
  expect(ada.lines.at(-2)).toMatch(new RegExp(`The write-ahead log of the missing database is now .*/${aside}\\.$`))
})

test('a backup of an earlier release can be restored, and its entries keep their requests', async () => {
  const old = temporaryFolder()
  putRelease('release-0.2', old)
  const place = installation({ APP_SECRET: known.appSecret })
  await restore([join(old, 'toolbox.db')], place)
  const entries = await withDatabase(place, async (db) => {
    await migrate(db)
    const pinged = db.q.selectFrom('entry').select(['awake', 'settings']).where('tool', '=', 'keepalive')
    return (await pinged.execute()).map(({ awake, settings }) => [awake, 'keep' in JSON.parse(settings)])
  })
  expect(entries).toEqual([
    [null, false],
    [null, false],
    [null, false],
  ])
})

test('an encrypted backup needs only its passphrase, and a wrong one reveals nothing', async () => {
  ada.env = encryptedBackupEnv
  const name = await makeBackup(ada)
  expect(readFileSync(join(ada.backups, name)).includes('ada@example.com')).toBe(false)
  const empty = installation({ BACKUP_PASSPHRASE: 'some other phrase' })
  copyBackup(name, ada, empty)
  await expect(restore([name], empty)).rejects.toThrow(/^Wrong passphrase\.$/)
  expect(empty.files()).toEqual(['app-secret', 'backups'])
  const fresh = installation()
  copyBackup(name, ada, fresh)
  await expect(restore([], fresh, ['2'])).rejects.toThrow('There is no backup 2 in this list')
  await expect(restore([], fresh)).rejects.toThrow('Enter its name')
  await expect(restore([], fresh, ['1'])).rejects.toThrow('This backup is encrypted')
  const elsewhere = join(fresh.folder, 'elsewhere')
  mkdirSync(elsewhere)
  await expect(restore([elsewhere], fresh)).rejects.toThrow(`There are no backups in ${elsewhere}`)
  renameSync(join(fresh.backups, name), join(elsewhere, name))
  await restore([elsewhere], fresh, ['1', passphrase])
  expect(fresh.lines.filter((line) => line.includes(name))[0]).toMatch(/^1 +toolbox-.+ yes +[1-9]\d* +yes$/)
  expect(await dumpRows(fresh)).toEqual(withoutSessions(before))
  expect(readFileSync(join(fresh.data, 'app-secret'))).toEqual(readFileSync(join(ada.data, 'app-secret')))
  // Other backups may need the secret that was there before the command.
  expect(fresh.files().sort()).toEqual(['app-secret', 'app-secret.before-restore', 'backups', 'toolbox.db'])
  // If there is a database already, its secret stays, and the restored values are re-encrypted with it.
  const used = installation(encryptedBackupEnv)
  await seedUser(used, 'eve')
  const secret = readFileSync(join(used.data, 'app-secret'), 'utf8')
  copyBackup(name, ada, used)
  await restore([name], used)
  expect(await dumpRows(used)).toEqual(withoutSessions(before))
  expect(readFileSync(join(used.data, 'app-secret'), 'utf8')).toBe(secret)
})

test('a truncated backup or another kind of file changes nothing', async () => {
  ada.env = encryptedBackupEnv
  const name = await makeBackup(ada)
  const file = join(ada.backups, name)
  writeFileSync(file, readFileSync(file).subarray(0, -1))
  await backups([], ada)
  expect(ada.lines.at(-1)).toMatch(/ no$/)
  await expect(restore([name], ada)).rejects.toThrow('is damaged')
  writeFileSync(file, 'something else')
  await expect(restore([name], ada)).rejects.toThrow('not a valid ToolBox database')
  writeFileSync(file, '{"toolbox":1}\n{"rows":007}\n')
  await expect(restore([name], ada)).rejects.toThrow('is not a ToolBox export')
  await expect(restore(['none.db'], ada)).rejects.toThrow('does not exist')
  expect(await dumpRows(ada)).toEqual(before)
  expect(ada.files().sort()).toEqual(['app-secret', 'backups', 'toolbox.db'])
})

test('backups in the folder that a restore deletes are refused and kept', async () => {
  const name = await makeBackup(ada)
  const inside = join(ada.data, 'restoring')
  const [link, elsewhere] = [join(ada.folder, 'link'), join(ada.folder, 'elsewhere.db')]
  copyFileSync(join(ada.backups, name), elsewhere)
  renameSync(ada.backups, inside)
  symlinkSync(inside, link)
  for (const file of [join(inside, name), join(link, name)])
    await expect(restore([file], ada)).rejects.toThrow(`${file} is in ${inside}, which a restore deletes. Move it`)
  const places: [string, string[]][] = [
    [inside, []],
    [link, []],
    [join(link, 'not there yet'), [elsewhere]],
  ]
  for (const [folder, args] of places) {
    ada.env = { BACKUP_DIR: folder }
    await expect(restore(args, ada, ['1'])).rejects.toThrow(`${folder} is in ${inside}`)
  }
  expect([readdirSync(inside), await dumpRows(ada)]).toEqual([[name], before])
})

test('reports what was restored, and what a copied file lacks if that was nothing', async () => {
  await restore([await makeBackup(ada)], ada)
  expect(ada.lines.slice(-2)).toEqual([expect.stringMatching(/^Restored .+ The previous/), 'Users: 1. Entries: 1.'])
  const copy = join(ada.folder, 'copy.db')
  copyFileSync(join(inject('migrated').sqlite, 'toolbox.db'), copy)
  const fresh = installation()
  await restore([copy], fresh)
  expect(fresh.lines.slice(-2)).toEqual([`Restored ${copy}.`, expect.stringContaining('toolbox.db-wal')])
})
