import { accessSync, constants, existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { folderOf } from '../backups/config.ts'
import { describeBackupFailure, requireDiskSpace } from '../backups/failure.ts'
import { freeBytes, freeName, listBackups } from '../backups/folder.ts'
import { excludedTables } from '../backups/make.ts'
import { type EmbeddedSecrets, labelOfSealed, unsealFile, WrongPassphrase } from '../backups/sealed.ts'
import { stateKey } from '../backups/state.ts'
import { type AppConfig, variables } from '../config.ts'
import { isMigrated, migrate, nextFor } from '../migrations.ts'
import { appSecretFile } from '../platform/config/app-secret.ts'
import { describeConfig } from '../platform/config/config.ts'
import { makeFolder } from '../platform/config/data-folder.ts'
import { canaryKey, canOpen, openSecrets, verifySecret } from '../platform/crypto/secrets.ts'
import { label } from '../platform/db/label.ts'
import type { Db } from '../platform/db/open.ts'
import { labelOfRows } from '../platform/db/rows/rows-file.ts'
import { unavailabilityOf } from '../platform/db/sqlite/execute.ts'
import { checkDigest, inspect } from '../platform/db/sqlite/inspect.ts'
import { copyDatabase } from '../platform/db/sqlite/make-backup.ts'
import { lockFolder, openSqlite } from '../platform/db/sqlite/open.ts'
import { renameDurably, sync } from '../platform/durable.ts'
import { upgrade } from '../upgrade.ts'
import { backupTable } from './backups.ts'
import { writeRowsOf } from './export.ts'
import { replaceAll } from './import.ts'
import { countSecrets, resealAll } from './secrets.ts'
import {
  type Command,
  closeAfter,
  configOf,
  databaseFile,
  logCommand,
  openQuestions,
  parseFileArgument,
  type Questions,
  realPath,
  requireCompatible,
  type Terminal,
  withDatabase,
} from './terminal.ts'

/** Replaces the database with a backup and keeps the old one. Checks everything in a copy before changing anything. */
export const restore: Command = async (args, terminal) => {
  const questions = openQuestions()
  try {
    await restoreWith(questions, args, terminal)
  } finally {
    questions.close()
  }
}

/** Like `restore`, with a given source of answers. */
export async function restoreWith(questions: Questions, args: string[], terminal: Terminal): Promise<void> {
  const hadSecret = hasSecret(terminal)
  const config = configOf(terminal)
  const file = await chooseBackup(args, config, terminal, questions)
  for (const path of [folderOf(config), file]) requireOutsideDrafts(path, config)
  try {
    await restoreFrom(file, { config, terminal, questions, hadSecret })
  } finally {
    rmSync(draftFolder(config), { recursive: true, force: true })
  }
}

/** Throws if the path would be deleted along with the drafts. */
function requireOutsideDrafts(path: string, config: AppConfig): void {
  const folder = draftFolder(config)
  if (!`${realPath(path)}${sep}`.startsWith(`${realPath(folder)}${sep}`)) return
  throw new Error(`${path} is in ${folder}, which a restore deletes. Move it to another folder first.`)
}

/** Whether the data folder has a secret already. Call it before reading the configuration, which creates one. */
function hasSecret({ env, folder }: Terminal): boolean {
  const dataDir = describeConfig(variables, env, folder).found.find(({ name }) => name === 'DATA_DIR')?.text ?? ''
  return existsSync(appSecretFile(resolve(folder, dataDir)))
}

type RestoreOptions = {
  config: AppConfig
  terminal: Terminal
  questions: Questions
  /** Whether there was a secret in the data folder before this command. */
  hadSecret: boolean
}

async function restoreFrom(file: string, { questions, ...options }: RestoreOptions): Promise<void> {
  const { config, terminal } = options
  const draft = await makeDraft(file, config, questions)
  if (!draft.embeddedSecrets && !canDecrypt(draft, config))
    throw new Error(
      `The secrets in ${file} were encrypted with another APP_SECRET. Set that one as APP_SECRET_PREVIOUS first.`,
    )
  const { total, needPrevious, undecryptable } = await closeAfter(openSqlite(draft.folder), (db) =>
    countSecrets(db, config),
  )
  const { users = 0, entry: entries = 0 } = inspect(draft.file).rows
  const replacing = { ...options, isForeign: undecryptable > 0 }
  const kept = config.databaseUrl ? await replaceRows(draft, replacing) : await replaceFile(draft, replacing)
  await logCommand(terminal, 'data.restore', file)
  if (undecryptable > 0 && !draft.embeddedSecrets)
    terminal.say(
      `APP_SECRET can't decrypt ${undecryptable} of the backup's ${total} secrets: it was made while the secret ` +
        'was being changed. Set the other secret as APP_SECRET_PREVIOUS and run rotate-secret before you start the server.',
    )
  else if (needPrevious > 0 && undecryptable === 0)
    terminal.say(
      `${needPrevious} of the backup's ${total} secrets are encrypted with APP_SECRET_PREVIOUS. Run rotate-secret.`,
    )
  terminal.say(`Restored ${file}.${kept ? ` ${kept}` : ''}`)
  terminal.say(
    users + entries > 0
      ? `Users: ${users}. Entries: ${entries}.`
      : 'The backup contains no users or entries. If you copied toolbox.db, copy toolbox.db-wal too, or use backups make.',
  )
}

type ReplaceContext = Omit<RestoreOptions, 'questions'> & { isForeign: boolean }

async function replaceFile(
  draft: Draft,
  { config, terminal, isForeign, hadSecret }: ReplaceContext,
): Promise<string | undefined> {
  const target = databaseFile(config)
  if (isForeign && draft.embeddedSecrets) {
    // Without a database yet, adopt the backup's secret too; otherwise a single rename must change everything.
    const adoptsSecret = !existsSync(target) && isSecretFromFile(terminal)
    const { appSecret } = adoptsSecret ? draft.embeddedSecrets : config
    await resealDraft(draft, draft.embeddedSecrets, appSecret)
    if (adoptsSecret) adoptSecret(config.dataDir, appSecret, { keepsOld: hadSecret })
  }
  return replaceWithDraft(target, draft.file)
}

/** Whether APP_SECRET comes from the file in the data folder. */
const isSecretFromFile = ({ env, folder }: Terminal): boolean =>
  describeConfig(variables, env, folder).found.some(({ name, source }) => name === 'APP_SECRET' && source === 'default')

/** Makes this the secret in the data folder. Keeps the old one next to it if it may still be needed. */
function adoptSecret(dataDir: string, secret: string, { keepsOld }: { keepsOld: boolean }): void {
  const file = appSecretFile(dataDir)
  const draft = `${file}.restoring`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  if (keepsOld) renameSync(file, `${file}.before-restore`)
  renameDurably(draft, file)
}

/** Upgrades and backs up the current rows, then replaces all in one transaction. Returns a sentence on the backup. */
async function replaceRows(draft: Draft, { config, terminal, isForeign }: ReplaceContext): Promise<string | undefined> {
  if (isForeign && draft.embeddedSecrets) await resealDraft(draft, draft.embeddedSecrets, config.appSecret)
  const rowsFile = join(draft.folder, 'rows.jsonl')
  await writeRowsOf(draft.folder, rowsFile)
  return withDatabase(terminal, async (db) => {
    const folder = folderOf(config)
    const backupPath = join(folder, freeName(folder, Date.now(), 'jsonl', 'restore'))
    const isNew = !(await isMigrated(db)) && (await nextFor(db)) === undefined
    if (!isNew) await requireRoom(db, folder)
    await upgrade({ db, config, at: Date.now(), say: terminal.say })
    if (!isNew) await db.backups.make(backupPath, excludedTables)
    await replaceAll({ db, config }, rowsFile, { isAgreed: true, isBackup: true })
    return isNew ? undefined : `The previous database is ${backupPath}.`
  })
}

/** Creates the folder. Throws if a backup of the database can't be written to it. */
async function requireRoom(db: Db, folder: string): Promise<void> {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
    await requireDiskSpace([{ folder, bytes: (await db.diskUsage()).used }], freeBytes)
  } catch (cause) {
    throw new Error(
      `The current database must be backed up first. ${describeBackupFailure(cause, folder)}. Nothing was changed.`,
      { cause },
    )
  }
}

/** Returns the file to restore: a path, the name of a backup, or the operator's choice from the list of a folder. */
async function chooseBackup(
  args: string[],
  config: AppConfig,
  terminal: Terminal,
  { ask }: Questions,
): Promise<string> {
  const defaultFolder = folderOf(config)
  const folder = args.length === 0 ? defaultFolder : pathOf(args, defaultFolder, terminal)
  if (args.length > 0 && !isFolder(folder)) return folder
  const backups = await listBackups(folder)
  if (backups.length === 0) throw new Error(`There are no backups in ${folder}. Pass a FILE.`)
  const numbers = backups.map((_, index) => String(index + 1))
  for (const line of backupTable(backups, numbers)) terminal.say(line)
  const answer = (await ask(`Which backup should be restored (1–${backups.length})? `))?.trim()
  const chosen = backups[numbers.indexOf(answer ?? '')] ?? backups.find(({ name }) => name === answer)
  if (chosen) return join(folder, chosen.name)
  throw new Error(
    answer
      ? `There is no backup ${answer} in this list. Nothing was changed.`
      : 'Enter its name: npm run toolbox -- restore NAME',
  )
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

/** Resolves the argument to a path or, if that doesn't exist, to a backup in the default folder. */
function pathOf(args: string[], defaultFolder: string, terminal: Terminal): string {
  const file = parseFileArgument(args, terminal)
  const named = join(defaultFolder, args[0] ?? '')
  return !existsSync(file) && existsSync(named) ? named : file
}

/** Returns a sentence on where the old data is kept. The target is always complete: the old database or the new one. */
function replaceWithDraft(target: string, draft: string): string | undefined {
  sync(draft)
  const hadDatabase = existsSync(target)
  const previousPath = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  const unlock = hadDatabase ? lock(target, previousPath) : lockUnusable(target, previousPath)
  try {
    if (hadDatabase) linkSync(target, previousPath)
    // Windows can't replace a file that is open.
    if (process.platform === 'win32') unlock()
    renameSync(draft, target)
    sync(dirname(target))
    if (hadDatabase) return `The previous database is ${previousPath}.`
    const log = `${previousPath}-wal`
    return existsSync(log) ? `The write-ahead log of the missing database is now ${log}.` : undefined
  } finally {
    unlock()
  }
}

/** Locks the database. Throws if a server is running: SQLite leaves WAL mode only if no other process has it open. */
function lock(file: string, previousPath: string): () => void {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (cause) {
    database.close()
    if (unavailabilityOf(cause) === 'damaged') return lockUnusable(file, previousPath)
    throw new Error(`A server is running on ${file}. Stop it first.`, { cause })
  }
  return () => {
    if (database.isOpen) database.close()
  }
}

/** Locks the folder, as SQLite can't lock a damaged or missing file, and keeps the old WAL from applying to the new one. */
function lockUnusable(file: string, backupPath: string): () => void {
  const release = lockFolder(dirname(file))
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${backupPath}-wal`)
  rmSync(`${file}-shm`, { force: true })
  return release
}

/** A verified copy of a backup as an SQLite database in its own folder; `embeddedSecrets` are an encrypted backup's. */
type Draft = { folder: string; file: string; embeddedSecrets: EmbeddedSecrets | undefined }

/** The folder for drafts. A killed restore may leave one behind, which the next restore removes. */
export const draftFolder = ({ dataDir }: Pick<AppConfig, 'dataDir'>): string => join(dataDir, 'restoring')

/** Makes a draft from a backup in any format. Throws a readable error if any part of it is damaged. */
async function makeDraft(file: string, config: AppConfig, questions: Questions): Promise<Draft> {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const folder = draftFolder(config)
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder)
  const target = join(folder, 'toolbox.db')
  let embeddedSecrets: EmbeddedSecrets | undefined
  if (await labelOfSealed(file, statSync(file).size)) {
    const opened = join(folder, 'opened')
    ;({ inside: embeddedSecrets } = await openSealed(file, opened, config, questions))
    await copyToDraft(opened, target, { ...config, ...secretsOf(embeddedSecrets) })
    rmSync(opened)
  } else await copyToDraft(file, target, config)
  const database = new DatabaseSync(target)
  // The stored state reports a backup in progress: this one.
  database.prepare('delete from setting where key = ?').run(stateKey)
  database.close()
  return { folder, file: target, embeddedSecrets }
}

const secretsOf = ({ appSecret, previousAppSecret }: EmbeddedSecrets) => ({ appSecret, previousAppSecret })

async function copyToDraft(file: string, target: string, config: AppConfig): Promise<void> {
  if (await labelOfRows(file, statSync(file).size)) {
    await withDraft(dirname(target), (db) => replaceAll({ db, config }, file, { isAgreed: true, isBackup: true }))
    return
  }
  requireCompatible(file)
  copyDatabase(file, target)
  checkDigest(target, file)
  label(target, undefined)
}

/** Runs `work` on a draft, migrated to this version's schema. */
export const withDraft = <T>(folder: string, work: (db: Db) => Promise<T>): Promise<T> =>
  closeAfter(openSqlite(folder), async (db) => {
    await migrate(db)
    return work(db)
  })

/** Whether the secrets of a draft can be decrypted with the configured APP_SECRET or the previous one. */
function canDecrypt({ file }: Draft, config: AppConfig): boolean {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('select value from setting where key = ?').get(canaryKey)
  database.close()
  return !row || canOpen(openSecrets(config), String(row.value))
}

/** Re-encrypts a draft with `appSecret`. A backup made during a rotation comes with two secrets of its own. */
const resealDraft = ({ folder }: Draft, inside: EmbeddedSecrets, appSecret: string): Promise<void> =>
  withDraft(folder, async (db) => {
    for (const previousAppSecret of [inside.previousAppSecret, inside.appSecret])
      if (previousAppSecret !== appSecret) await resealAll(db, openSecrets({ appSecret, previousAppSecret }))
    await verifySecret(db, openSecrets({ appSecret }))
  })

const mostTries = 3

/** Decrypts a backup into a new file with BACKUP_PASSPHRASE, or one typed or piped in. Throws WrongPassphrase. */
async function openSealed(file: string, to: string, { backupPassphrase }: AppConfig, questions: Questions) {
  let wrong: WrongPassphrase | undefined
  for await (const passphrase of passphrases(backupPassphrase, questions))
    try {
      return await unsealFile(file, passphrase, to)
    } catch (error) {
      // A wrong passphrase is detected before anything is written.
      if (!(error instanceof WrongPassphrase)) throw error
      wrong = error
    }
  throw wrong ?? new Error('This backup is encrypted. Set BACKUP_PASSPHRASE to its passphrase, or pipe it in.')
}

async function* passphrases(configured: string | undefined, { ask, isTerminal }: Questions): AsyncGenerator<string> {
  if (configured !== undefined) yield configured
  for (let count = 0; count < (isTerminal ? mostTries : 1); count += 1) {
    const typed = (await ask('Passphrase: ', true))?.trim()
    if (!typed) return
    yield typed
  }
}
