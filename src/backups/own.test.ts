import { copyFileSync, cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../test/support/database/fresh-postgres.ts'
import {
  encryptedBackupEnv,
  type Installation,
  installation,
  makeBackup,
  seedUser,
} from '../../test/support/installation.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { withDatabase } from '../cli/terminal.ts'
import { backUpBefore } from '../upgrade.ts'
import { makeBackup as makeBackupAt } from './make.ts'
import { readState, writeState } from './state.ts'

let folder: string
let ada: Installation
let eve: Installation
beforeEach(async () => {
  folder = temporaryFolder()
  // Both keep only their newest backup.
  const place = () =>
    installation({ APP_SECRET: 'a secret of more than thirty-two characters', BACKUP_DIR: folder, BACKUP_KEEP: '0d' })
  ada = place()
  eve = place()
  for (const one of [ada, eve]) await seedUser(one)
})
const listFiles = () => readdirSync(folder).sort()

test('two installations that share a folder each remove only their own backups, whole or partial', async () => {
  const [ofAda, older] = [await makeBackup(ada), await makeBackup(eve)]
  for (const part of ['.part', '.plain.part-journal'])
    for (const name of [ofAda, older]) writeFileSync(join(folder, `${name}${part}`), '')
  const newer = await makeBackup(eve)
  expect(listFiles()).toEqual([ofAda, `${ofAda}.part`, `${ofAda}.plain.part-journal`, newer].sort())
})

test('each installation removes only its own upgrade backups', async () => {
  const upgraded = (place: Installation, at: number) =>
    withDatabase(place, (db, config) => backUpBefore({ db, config, at, migration: '0009-planned-at' }))
  const backups = [await upgraded(eve, 1_000), await upgraded(ada, 3_000), await upgraded(eve, 2_000)]
  expect(listFiles()).toEqual([backups[2], backups[1]].map((file = '') => basename(file)))
})

test('without recorded names, all backups in the folder are own if this server has made one, else none', async () => {
  const old = 'toolbox-2020-01-01T00-00-00Z.db'
  const first = await makeBackup(ada)
  copyFileSync(join(folder, first), join(folder, old))
  const ofEve = await makeBackup(eve)
  expect(listFiles()).toEqual([old, first, ofEve].sort())
  await withDatabase(ada, async ({ q }) => {
    const { own: _, ...state } = await readState(q)
    await writeState(q, { ...state, last: { name: first, at: 1 } })
  })
  expect(listFiles()).toContain(old)
  const second = await makeBackup(ada)
  expect(listFiles()).toEqual([second])
})

test('a copied installation keeps the backups that the original has made since', async () => {
  await makeBackup(ada)
  cpSync(ada.data, eve.data, { recursive: true })
  const ofAda = await makeBackup(ada)
  await makeBackup(eve)
  const ofEve = await makeBackup(eve)
  expect(listFiles()).toEqual([ofAda, ofEve].sort())
})

test('instances with a folder each remove their own backups, whole or partial', async () => {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const instance = () => {
    const own = temporaryFolder()
    const { APP_SECRET = '' } = ada.env
    const env = { ...encryptedBackupEnv, APP_SECRET, DATABASE_URL: url, BACKUP_DIR: own, BACKUP_KEEP: '0d' }
    const place = installation(env)
    const backUp = (at: number) => withDatabase(place, (db, config) => makeBackupAt({ db, config, at }))
    return { place, own, backUp }
  }
  const [one, other] = [instance(), instance()]
  await seedUser(one.place)
  const { name } = await one.backUp(1_000)
  const partial = join(one.own, `${name}.plain`)
  writeFileSync(partial, '')
  await other.backUp(2_000)
  const newest = await one.backUp(3_000)
  expect(existsSync(partial)).toBe(false)
  expect(readdirSync(one.own)).toEqual([newest.name])
  expect(readdirSync(other.own)).toHaveLength(1)
})
