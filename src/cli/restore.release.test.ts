import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import known from '../../test/fixtures/release-0.2/known.json' with { type: 'json' }
import { releasedDatabase } from '../../test/fixtures/released.ts'
import { freshPostgres } from '../../test/support/database/fresh-postgres.ts'
import {
  copyBackup,
  dumpRows,
  encryptedBackupEnv,
  type Installation,
  installation,
  isUserOrEntryRow,
  makeBackup,
  restore,
  seedUser,
  withoutSessions,
} from '../../test/support/installation.ts'
import { processEnv } from '../../test/support/process.ts'
import { nextFor } from '../migrations.ts'
import { openSecrets, verifySecret } from '../platform/crypto/secrets.ts'
import { exportRows } from './export.ts'
import { importRows } from './import.ts'
import { rotateSecret } from './secrets.ts'
import { withDatabase } from './terminal.ts'

let ada: Installation
let before: string[]
beforeEach(async () => {
  ada = installation()
  await seedUser(ada)
  before = await dumpRows(ada)
})

/** Restores in a separate process that is killed before it renames or links a file for the nth time. */
function killedRestore(place: Installation, name: string, nth: number): void {
  const program = fileURLToPath(new URL('../../test/support/database/killed-restore.ts', import.meta.url))
  const options = { cwd: place.folder, env: { ...processEnv, ...place.env } }
  expect(spawnSync(process.execPath, [program, String(nth), name], options).signal).toBe('SIGKILL')
}

test('a killed restore leaves the previous state, and can be repeated', async () => {
  const name = await makeBackup(ada)
  await seedUser(ada, 'eve')
  const old = await dumpRows(ada)
  for (const nth of [1, 2]) {
    killedRestore(ada, name, nth)
    expect(await dumpRows(ada)).toEqual(old)
  }
  await restore([name], ada)
  expect(await dumpRows(ada)).toEqual(withoutSessions(before))
  ada.env = encryptedBackupEnv
  const sealed = await makeBackup(ada)
  const fresh = installation(encryptedBackupEnv)
  copyBackup(sealed, ada, fresh)
  for (const nth of [1, 2, 3]) {
    killedRestore(fresh, sealed, nth)
    expect(fresh.files()).not.toContain('toolbox.db')
  }
  await restore([sealed], fresh)
  expect(await dumpRows(fresh)).toEqual(withoutSessions(before))
})

test('a plain backup with altered content is rejected and changes nothing', async () => {
  const name = await makeBackup(ada)
  const file = join(ada.backups, name)
  const text = readFileSync(file, 'latin1')
  // The text has the same length as before, so SQLite finds nothing wrong.
  writeFileSync(file, text.replaceAll('ada@example.com', 'eve@example.com'), 'latin1')
  await expect(restore([name], ada)).rejects.toThrow(`${file} is damaged: its content has changed since it was made.`)
  expect(await dumpRows(ada)).toEqual(before)
  const rows = join(ada.folder, 'rows.jsonl')
  await exportRows([rows], ada)
  writeFileSync(rows, readFileSync(rows, 'utf8').replaceAll('"ada@example.com"', '"eve@example.com"'))
  await expect(restore([rows], ada)).rejects.toThrow('is damaged, or was edited')
  await expect(importRows(['--replace', rows], ada)).rejects.toThrow('is damaged, or was edited')
  expect(withoutSessions(await dumpRows(ada))).toEqual(withoutSessions(before))
  // A backup from before digests existed.
  writeFileSync(file, text, 'latin1')
  const older = new DatabaseSync(file)
  older.exec('drop table backup_digest')
  older.close()
  await restore([name], ada)
  expect(await dumpRows(ada)).toEqual(withoutSessions(before))
})

test('a backup made during a rotation of the secret can be restored with either of the two secrets alone', async () => {
  const [old, next] = ['the secret of before, long enough', 'the secret of afterwards, long enough']
  const server = installation({ APP_SECRET: old })
  await seedUser(server)
  server.env = { APP_SECRET: next, APP_SECRET_PREVIOUS: old }
  await withDatabase(server, async (db, config) => {
    const { settings } = await db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    await db.q
      .updateTable('entry')
      .set({ settings: openSecrets(config).reseal(settings) })
      .execute()
  })
  const all = withoutSessions(await dumpRows(server))
  const plain = await makeBackup(server)
  server.env = { ...server.env, ...encryptedBackupEnv }
  const sealed = await makeBackup(server)

  const fresh = installation(encryptedBackupEnv)
  copyBackup(sealed, server, fresh)
  await restore([sealed], fresh)
  expect([await dumpRows(fresh), fresh.files().sort()]).toEqual([all, ['app-secret', 'backups', 'toolbox.db']])
  await withDatabase(fresh, (db, config) => verifySecret(db, openSecrets(config)))
  for (const secret of [old, next, 'a third secret that is long enough']) {
    const place = installation({ ...encryptedBackupEnv, APP_SECRET: secret })
    copyBackup(sealed, server, place)
    await restore([sealed], place)
    expect(await dumpRows(place)).toEqual(all)
  }

  const place = installation({ APP_SECRET: old })
  copyBackup(plain, server, place)
  await restore([plain], place)
  expect(place.lines.at(-3)).toContain("can't decrypt 1 of the backup's 2 secrets: it was made while")
  place.env = { APP_SECRET: old, APP_SECRET_PREVIOUS: next }
  await rotateSecret([], place)
  place.env = { APP_SECRET: old }
  expect((await dumpRows(place)).filter(isUserOrEntryRow)).toEqual(all.filter(isUserOrEntryRow))
  place.env = { APP_SECRET: next }
  await expect(restore([plain], place)).rejects.toThrow('Set that one as APP_SECRET_PREVIOUS first')
  place.env = { APP_SECRET: next, APP_SECRET_PREVIOUS: old }
  await restore([plain], place)
  expect(place.lines.at(-3)).toBe(
    "1 of the backup's 2 secrets are encrypted with APP_SECRET_PREVIOUS. Run rotate-secret.",
  )
})

test('PostgreSQL backups restore into either database, SQLite ones into PostgreSQL, plain or encrypted', async () => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const secret = { APP_SECRET: 'a secret of more than thirty-two characters' }
  const server = installation({ ...secret, DATABASE_URL: url })
  await seedUser(server)
  const serverRows = await dumpRows(server)
  const plain = await makeBackup(server)
  expect(plain).toMatch(/\.jsonl$/)
  await seedUser(server, 'eve')
  await restore([plain], server)
  expect(await dumpRows(server)).toEqual(withoutSessions(serverRows))
  const previous = /previous database is (\S.*before-restore-.+\.jsonl)\.$/.exec(server.lines.at(-2) ?? '')?.[1] ?? ''
  await restore([previous], server)
  expect((await dumpRows(server)).filter(isUserOrEntryRow)).toHaveLength(4)

  await restore([plain], server)
  server.env = { ...server.env, ...encryptedBackupEnv }
  const sealed = await makeBackup(server)
  const small = installation({ ...encryptedBackupEnv })
  copyBackup(sealed, server, small)
  await restore([sealed], small)
  expect(await dumpRows(small)).toEqual(withoutSessions(serverRows))
  await seedUser(small, 'eve')
  const both = await dumpRows(small)
  const back = await makeBackup(small)
  copyBackup(back, small, server)
  server.env = { ...server.env, APP_SECRET: 'another secret of more than thirty-two characters' }
  await withDatabase(server, async (db) => void (await db.q.deleteFrom('setting').execute()))
  await restore([back], server)
  expect(await dumpRows(server)).toEqual(withoutSessions(both))
})

test('the rows of an earlier release in PostgreSQL are kept before another backup replaces them', async () => {
  const { url, drop } = await releasedDatabase('release-0.2', 'postgres')
  onTestFinished(drop)
  const secret = { APP_SECRET: known.appSecret }
  const small = installation(secret)
  await seedUser(small)
  const server = installation({ ...secret, DATABASE_URL: url ?? '' })
  await restore([join(small.backups, await makeBackup(small))], server)
  expect((await dumpRows(server)).filter(isUserOrEntryRow)).toHaveLength(2)
  const previous = /previous database is (\S.*before-restore-.+\.jsonl)\.$/.exec(server.lines.at(-2) ?? '')?.[1] ?? ''
  await restore([previous], server)
  const emails = await withDatabase(server, (db) => db.q.selectFrom('users').select('email').execute())
  expect(emails).toContainEqual({ email: 'tim@example.com' })
})

test('an earlier release in PostgreSQL is not upgraded for a restore that cannot back it up', async () => {
  const { db, url, drop } = await releasedDatabase('release-0.2', 'postgres')
  onTestFinished(drop)
  const small = installation()
  await seedUser(small)
  const file = join(small.backups, await makeBackup(small))
  const server = installation({
    APP_SECRET: readFileSync(join(small.data, 'app-secret'), 'utf8').trim(),
    DATABASE_URL: url ?? '',
  })
  mkdirSync(server.data, { mode: 0o700 })
  writeFileSync(server.backups, '')
  const migration = await nextFor(db)
  expect(migration).toBeDefined()
  await expect(restore([file], server)).rejects.toThrow(
    /^The current database must be backed up first\. .*backups is not a folder\. Nothing was changed\.$/,
  )
  expect(await nextFor(db)).toBe(migration)
})
