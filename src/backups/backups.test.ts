import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { mountDisk } from '../../test/support/mount-disk.ts'
import { createSignedInPerson } from '../../test/support/people.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type Toolbox, toolbox } from '../../test/support/toolbox.ts'
import { days, hours, minutes, seconds } from '../shared/time.ts'
import { createBackups } from './backups.ts'
import type { Backup } from './contract.ts'
import { nextBackup } from './schedule.ts'
import { unsealFile } from './sealed.ts'
import { lastBackupAt, readState } from './state.ts'

const path = '/api/v1/admin/backups'
const passphrase = 'correct horse battery staple'
const unsealed = ({ config, ...context }: Toolbox['context']) => ({
  ...context,
  config: { ...config, backupPassphrase: undefined },
})

describe.each(dialects)('backups on %s', async (dialect) => {
  const [folder, dataDir] = [temporaryFolder(), temporaryFolder()]
  const env = { BACKUP_DIR: folder, DATA_DIR: dataDir, BACKUP_PASSPHRASE: passphrase, BACKUP_KEEP: '2d' }
  const box = await toolbox(dialect, env)
  const boss = await createSignedInPerson(box, { username: 'boss', roles: { Admin: 2 } })
  afterAll(() => box.close())
  const plain = () => createBackups(unsealed(box.context))
  const messages = async () =>
    (await box.db.q.selectFrom('notification').select('message').orderBy('issued_at').execute()).map(
      ({ message }) => message,
    )

  test('an admin makes an encrypted backup, lists it, and downloads it after re-authentication', async () => {
    expect(await lastBackupAt(box.db.q)).toBeUndefined()
    const { status, body } = await boss.screen.post(path)
    expect([status, (await boss.screen.get(path)).body]).toEqual([201, [body]])
    const { name, size, rows, ...rest } = body as Backup
    expect([name, rest]).toEqual([
      'toolbox-2026-01-05T12-00-00Z.sealed',
      { time: box.now(), sealed: true, verified: true },
    ])
    expect([statSync(join(folder, name)).size, rows > 0, readdirSync(folder)]).toEqual([size, true, [name]])
    expect(await lastBackupAt(box.db.q)).toBe(box.now())
    const file = await box.app.inject({ url: `${path}/${name}`, cookies: Object.fromEntries(boss.screen.jar) })
    expect([file.statusCode, file.headers['content-disposition']]).toEqual([200, `attachment; filename="${name}"`])
    expect(file.rawPayload.equals(readFileSync(join(folder, name)))).toBe(true)
    const { inside } = await unsealFile(join(folder, name), passphrase, join(dataDir, 'opened'))
    expect(inside).toEqual({ appSecret: box.context.config.appSecret })
    expect(readFileSync(join(dataDir, 'opened')).includes(boss.session.token)).toBe(false)
    const logged = await box.db.q.selectFrom('audit').select(['action', 'target']).execute()
    expect(logged.filter(({ action }) => action.startsWith('data.'))).toEqual([
      { action: 'data.backup', target: name },
      { action: 'data.download', target: name },
    ])
    box.pass(minutes(11))
    expect((await boss.screen.get(`${path}/${name}`)).body).toMatchObject({ reauthenticate: true })
    box.pass(-minutes(11))
  })

  test('does not send unencrypted backups or other files, whatever their name', async () => {
    box.pass(seconds(1))
    const { name } = await plain().make()
    writeFileSync(join(folder, 'toolbox-2020-01-01T00-00-00Z.sealed'), 'not ours')
    writeFileSync(join(folder, 'notes.txt'), 'not ours')
    const answers = await Promise.all(
      [
        'toolbox-2020-01-01T00-00-00Z.sealed',
        'toolbox-2020-01-01T00-00-01Z.sealed',
        'notes.txt',
        '..%2Fapp-secret',
        '%2e%2e',
        `..%2F${folder.split('/').at(-1)}%2F${name}`,
      ].map(async (other) => (await boss.screen.get(`${path}/${other}`)).status),
    )
    expect(answers).toEqual([404, 404, 404, 404, 404, 404])
    expect((await boss.screen.get(`${path}/${name}`)).status).toBe(403)
    expect((await boss.screen.get(path)).body.map((backup: Backup) => [backup.sealed, backup.verified])).toEqual([
      [false, true],
      [true, true],
    ])
  })

  test('prunes encrypted and unencrypted backups separately, and keeps upgrade backups and foreign files', async () => {
    const end = dialect === 'sqlite' ? 'db' : 'jsonl'
    const ofUpgrade = `before-0009-planned-at-2019-01-01T00-00-00Z.${end}`
    copyFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith(end)) ?? ''), join(folder, ofUpgrade))
    for (const pause of [days(1), hours(1), days(1)]) {
      box.pass(pause)
      await plain().make()
    }
    expect(readdirSync(folder)).toEqual([
      ofUpgrade,
      'notes.txt',
      'toolbox-2020-01-01T00-00-00Z.sealed',
      'toolbox-2026-01-05T12-00-00Z.sealed',
      `toolbox-2026-01-06T13-00-01Z.${end}`,
      `toolbox-2026-01-07T13-00-01Z.${end}`,
    ])
    for (let count = 0; count < 2; count += 1) {
      box.pass(days(1))
      await createBackups(box.context).make()
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('toolbox-2026'))).toEqual([
      `toolbox-2026-01-06T13-00-01Z.${end}`,
      `toolbox-2026-01-07T13-00-01Z.${end}`,
      'toolbox-2026-01-08T13-00-01Z.sealed',
      'toolbox-2026-01-09T13-00-01Z.sealed',
    ])
  })

  test('does not start a backup that will not fit, and notifies admins of failure and recovery once', async () => {
    const before = readdirSync(folder)
    const short = createBackups(box.context, async () => 1_000_000)
    await expect(short.make()).rejects.toMatchObject({ status: 503, message: expect.stringContaining('disk space') })
    await expect(short.make()).rejects.toThrow('disk space')
    const { failed } = await readState(box.db.q)
    expect([failed?.at, nextBackup(box.context, { failed }, box.now())]).toEqual([
      box.now(),
      dialect === 'sqlite' ? box.now() + minutes(30) : undefined,
    ])
    expect(readdirSync(folder)).toEqual(before)
    expect(await messages()).toEqual([expect.stringMatching(/^There isn't enough disk space in .+ 1 MB are free\. No/)])
    box.pass(minutes(1))
    await plain().make()
    expect((await messages()).at(-1)).toBe('Backups are being made again.')
  })

  test('only one backup runs at a time, and a killed one blocks the next for at most two minutes', async () => {
    box.pass(seconds(1))
    const results = await Promise.allSettled([plain().make(), plain().make(), boss.screen.post(path)])
    const outcomes = results.map((one) => (one.status === 'fulfilled' ? (Object(one.value).status ?? 201) : 409))
    expect(outcomes.sort()).toEqual([201, 409, 409])
    const by = 'somebody who was killed'
    const value = JSON.stringify({ ...(await readState(box.db.q)), claim: { by, until: box.now() + minutes(2) } })
    await box.db.q.updateTable('setting').set({ value }).where('key', '=', 'backups').execute()
    expect((await boss.screen.get(`${path}/status`)).body).toMatchObject({ isRunning: true, failed: null, seals: true })
    expect((await boss.screen.post(path)).status).toBe(409)
    box.pass(minutes(2))
    expect((await boss.screen.post(path)).status).toBe(201)
  })

  test('a backup that ends after its claim expired does not disturb the next one', async () => {
    box.pass(seconds(1))
    /** Starts a backup that waits until the test calls `go` or `fail`. */
    const slow = () => {
      const { promise: going, resolve: go, reject: fail } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const make: typeof box.db.backups.make = async (...order) => {
        begin()
        await going
        return box.db.backups.make(...order)
      }
      const db = { ...box.db, backups: { ...box.db.backups, make } }
      const backup = createBackups({ ...unsealed(box.context), db }).make()
      backup.catch(() => {})
      return { backup, begun, go, fail }
    }
    const begin = async () => {
      const one = slow()
      await one.begun
      box.pass(minutes(3))
      return one
    }
    const [late, failing, next] = [await begin(), await begin(), await begin()]
    box.pass(-minutes(3))
    const { claim } = await readState(box.db.q)
    const before = await messages()
    failing.fail(new Error('A disk went away'))
    await expect(failing.backup).rejects.toThrow('A disk went away.')
    late.go()
    const { name } = await late.backup
    expect(await readState(box.db.q)).toMatchObject({ claim, last: { name } })
    expect(await readState(box.db.q)).not.toHaveProperty('failed')
    expect([await messages(), (await boss.screen.post(path)).status]).toEqual([before, 409])
    next.go()
    const { name: newest } = await next.backup
    const after = await readState(box.db.q)
    expect([after.last?.name, after.claim]).toEqual([newest, undefined])
  })

  test('notifies admins once that backups are overdue', async () => {
    const before = await messages()
    await plain().notifyOverdue()
    await plain().notifyOverdue()
    expect((await messages()).slice(before.length)).toEqual([
      expect.stringMatching(/^Backups are overdue: the last one was/),
    ])
  })
})

test('leaves no partial backup, encrypted or not, when the disk fills up midway', async ({ skip }) => {
  const { folder, remove } = mountDisk(160) ?? skip('This user may not mount a disk.')
  onTestFinished(remove)
  const box = await toolbox('sqlite', { BACKUP_DIR: folder, BACKUP_PASSPHRASE: passphrase })
  for (const context of [box.context, unsealed(box.context)])
    await expect(createBackups(context, async () => 1e12).make()).rejects.toThrow(
      /^(?:The disk of .+ is full|Not enough disk space for .+)\.$/,
    )
  expect([
    readdirSync(folder),
    readdirSync(box.db.backups.folder ?? '').filter((name) => name.includes('plain')),
  ]).toEqual([[], []])
  await box.close()
})

test('a backup is due a day after the last, immediately if that is missing or in the future', () => {
  const folder = temporaryFolder()
  const name = 'toolbox-2026-01-05T12-00-00Z.db'
  writeFileSync(join(folder, name), '')
  const due = (state: Parameters<typeof nextBackup>[1], more = {}, db = { isShared: false }) =>
    nextBackup({ config: { backupDir: folder, ...more }, db } as never, state, now)
  const now = days(20_000)
  expect(due({})).toBe(now)
  expect(due({ last: { name, at: now - hours(1) } })).toBe(now + hours(23))
  expect(due({ last: { name: 'gone', at: now - hours(1) } })).toBe(now)
  expect(due({ last: { name, at: now + hours(1) } })).toBe(now)
  expect(due({ last: { name, at: now - hours(30) }, failed: { at: now, why: '' } })).toBe(now + minutes(30))
  expect(due({ last: { name, at: now - hours(1) }, failed: { at: now, why: '' } }, { backupEvery: 0 })).toBeUndefined()
  const postgres = { databaseUrl: 'postgres://…' }
  expect(due({}, postgres)).toBeUndefined()
  expect(due({ last: { name: 'elsewhere', at: now } }, { ...postgres, backupEvery: 5 }, { isShared: true })).toBe(
    now + 5,
  )
})
