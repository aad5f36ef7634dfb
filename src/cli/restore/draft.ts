import { existsSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Inside, labelOfSealed, openFile, WrongPassphrase } from '../../backups/sealed.ts'
import { stateKey } from '../../backups/state.ts'
import type { AppConfig } from '../../config.ts'
import { migrate } from '../../migrations.ts'
import { makeFolder } from '../../platform/config/data-folder.ts'
import { canaryKey, openSecrets, opens, verifySecret } from '../../platform/crypto/secrets.ts'
import { label } from '../../platform/db/label.ts'
import type { Db } from '../../platform/db/open.ts'
import { checkDigest } from '../../platform/db/sqlite/inspect.ts'
import { copyDatabase } from '../../platform/db/sqlite/make-backup.ts'
import { openSqlite } from '../../platform/db/sqlite/open.ts'
import type { Questions } from '../ask.ts'
import { replaceAll } from '../import.ts'
import { countSecrets, type SecretCounts, sealAllAnew } from '../secrets.ts'
import { mustBeOurs } from '../terminal.ts'

/** A checked copy of a backup in a folder of its own, as a database of SQLite; with the secrets that came with it. */
export type Draft = { folder: string; file: string; inside: Inside | undefined }

/** Where drafts are made. A kill may leave one behind, which the next restore removes. */
export const draftFolder = ({ dataDir }: Pick<AppConfig, 'dataDir'>): string => join(dataDir, 'restoring')

/** Makes a draft of any form of backup. Throws, with a sentence, unless all of it is intact. */
export async function makeDraft(...args: Parameters<typeof draftOf>): Promise<Draft> {
  const draft = await draftOf(...args)
  const database = new DatabaseSync(draft.file)
  // It says of a backup that it is being made: this one.
  database.prepare('delete from setting where key = ?').run(stateKey)
  database.close()
  return draft
}

async function draftOf(
  file: string,
  config: AppConfig,
  questions: Pick<Questions, 'ask' | 'isTerminal'>,
): Promise<Draft> {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const folder = draftFolder(config)
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder)
  const target = join(folder, 'toolbox.db')
  if (!(await labelOfSealed(file, statSync(file).size))) {
    await bringToDraft(file, target, config)
    return { folder, file: target, inside: undefined }
  }
  const opened = join(folder, 'opened')
  const { inside } = await openSealed(file, opened, config, questions)
  await bringToDraft(opened, target, { ...config, ...secretsOf(inside) })
  rmSync(opened)
  return { folder, file: target, inside }
}

const secretsOf = ({ appSecret, previousAppSecret }: Inside) => ({ appSecret, previousAppSecret })

async function bringToDraft(file: string, target: string, config: AppConfig): Promise<void> {
  if (await holdsRows(file)) {
    await withDraft(join(target, '..'), (db) => replaceAll({ db, config }, file, { isAgreed: true, isOurs: true }))
    return
  }
  mustBeOurs(file)
  copyDatabase(file, target)
  checkDigest(target, file)
  label(target, undefined)
}

async function holdsRows(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const start = '{"toolbox":'
    const { buffer } = await handle.read(Buffer.alloc(start.length), 0, start.length, 0)
    return buffer.toString() === start
  } finally {
    await handle.close()
  }
}

/** Does this with a draft that has this version's schema. */
export async function withDraft<T>(folder: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(folder)
  try {
    await migrate(db)
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Whether the secrets of a draft were sealed with the configured APP_SECRET. */
export function fits({ file }: Draft, config: AppConfig): boolean {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('select value from setting where key = ?').get(canaryKey)
  database.close()
  return !row || opens(openSecrets(config), String(row.value))
}

/** What of the secrets in a draft the configured APP_SECRET decrypts. */
export async function countSecretsOf({ folder }: Draft, config: AppConfig): Promise<SecretCounts> {
  const db = openSqlite(folder)
  try {
    return await countSecrets(db, config)
  } finally {
    await db.close()
  }
}

/** Seals with this APP_SECRET all that was sealed with those that came with a draft: two, if it was made while the secret was being changed. */
export const sealDraftAnew = ({ folder }: Draft, inside: Inside, appSecret: string): Promise<void> =>
  withDraft(folder, async (db) => {
    for (const previousAppSecret of [inside.previousAppSecret, inside.appSecret])
      if (previousAppSecret !== appSecret) await sealAllAnew(db, openSecrets({ appSecret, previousAppSecret }))
    await verifySecret(db, openSecrets({ appSecret }))
  })

const mostTries = 3

/** Opens a sealed backup into a new file: with BACKUP_PASSPHRASE, or the passphrase that is typed or piped in. Throws WrongPassphrase. */
export async function openSealed(
  file: string,
  to: string,
  { backupPassphrase }: AppConfig,
  questions: Pick<Questions, 'ask' | 'isTerminal'>,
) {
  let wrong: WrongPassphrase | undefined
  for await (const passphrase of passphrases(backupPassphrase, questions))
    try {
      return await openFile(file, passphrase, to)
    } catch (error) {
      // It is found out before anything is written.
      if (!(error instanceof WrongPassphrase)) throw error
      wrong = error
    }
  throw wrong ?? new Error('This backup is encrypted. Set BACKUP_PASSPHRASE to its passphrase, or pipe it in.')
}

async function* passphrases(
  configured: string | undefined,
  { ask, isTerminal }: Pick<Questions, 'ask' | 'isTerminal'>,
): AsyncGenerator<string> {
  if (configured !== undefined) yield configured
  for (let count = 0; count < (isTerminal ? mostTries : 1); count += 1) {
    const typed = await ask('Passphrase: ', true)
    if (!typed) return
    yield typed
  }
}
