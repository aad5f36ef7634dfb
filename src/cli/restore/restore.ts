import { existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { folderOf } from '../../backups/config.ts'
import { freeName, listBackups } from '../../backups/folder.ts'
import { leftOut } from '../../backups/make.ts'
import { type AppConfig, variables } from '../../config.ts'
import { isMigrated } from '../../migrations.ts'
import { appSecretFile } from '../../platform/config/app-secret.ts'
import { describeConfig, readConfig } from '../../platform/config/config.ts'
import { makeFolder } from '../../platform/config/data-folder.ts'
import { unavailabilityOf } from '../../platform/db/sqlite/execute.ts'
import { inspect } from '../../platform/db/sqlite/inspect.ts'
import { lockFolder } from '../../platform/db/sqlite/open.ts'
import { renameForGood, sync } from '../../platform/durable.ts'
import { upgrade } from '../../upgrade.ts'
import { openQuestions, type Questions } from '../ask.ts'
import { backupTable } from '../backups.ts'
import { writeRowsOf } from '../export.ts'
import { replaceAll } from '../import.ts'
import { type Command, databaseFile, logCommand, onlyFile, type Terminal, withDatabase } from '../terminal.ts'
import { countSecretsOf, type Draft, draftFolder, fits, makeDraft, sealDraftAnew } from './draft.ts'

/** Replaces the current database by a backup, and keeps the old one. Everything is checked in a copy before anything changes. */
export const restore: Command = async (args, terminal) => {
  const questions = openQuestions()
  try {
    await restoreWith(questions, args, terminal)
  } finally {
    questions.close()
  }
}

/** The same, by whom these questions are answered. */
export async function restoreWith(
  questions: Pick<Questions, 'ask' | 'isTerminal'>,
  args: string[],
  terminal: Terminal,
): Promise<void> {
  const hadSecret = hasSecret(terminal)
  const config = readConfig(variables, terminal.env, terminal.folder)
  try {
    await restoreFrom(args, { config, terminal, questions, hadSecret })
  } finally {
    rmSync(draftFolder(config), { recursive: true, force: true })
  }
}

/** Whether the data folder has a secret already; reading the whole configuration makes one. */
function hasSecret({ env, folder }: Terminal): boolean {
  const dataDir = describeConfig(variables, env, folder).found.find(({ name }) => name === 'DATA_DIR')?.text ?? ''
  return existsSync(appSecretFile(resolve(folder, dataDir)))
}

type Scene = {
  config: AppConfig
  terminal: Terminal
  questions: Pick<Questions, 'ask' | 'isTerminal'>
  /** Whether there was a secret in the data folder before this command. */
  hadSecret: boolean
}

async function restoreFrom(args: string[], { questions, ...scene }: Scene): Promise<void> {
  const { config, terminal } = scene
  const file = await choose(args, config, terminal, questions)
  const draft = await makeDraft(file, config, questions)
  if (!draft.inside && !fits(draft, config))
    throw new Error(
      `The secrets in ${file} were encrypted with another APP_SECRET. Set that one as APP_SECRET_PREVIOUS first.`,
    )
  const { all, older, closed } = await countSecretsOf(draft, config)
  const { users = 0, entry: entries = 0 } = inspect(draft.file).rows
  const replacing = { ...scene, isForeign: closed > 0 }
  const kept = config.databaseUrl ? await replaceRows(draft, replacing) : await replaceFile(draft, replacing)
  await logCommand(terminal, 'data.restore', file)
  if (closed > 0 && !draft.inside)
    terminal.say(
      `APP_SECRET doesn't decrypt ${closed} of its ${all} secrets: it was made while the secret was being changed. ` +
        'Set the other one as APP_SECRET_PREVIOUS and use rotate-secret before you start the server.',
    )
  else if (older > 0 && closed === 0)
    terminal.say(`${older} of its ${all} secrets are encrypted with APP_SECRET_PREVIOUS. Use rotate-secret.`)
  terminal.say(`Restored ${file}${kept ? `. The previous database is ${kept}` : ''}.`)
  terminal.say(
    users + entries > 0
      ? `Users: ${users}. Entries: ${entries}.`
      : 'It holds no users and no entries. A copy of toolbox.db lacks what is still in toolbox.db-wal: copy both, or use backups make.',
  )
}

type Replacing = Omit<Scene, 'questions'> & { isForeign: boolean }

async function replaceFile(
  draft: Draft,
  { config, terminal, isForeign, hadSecret }: Replacing,
): Promise<string | undefined> {
  const target = databaseFile(config)
  if (isForeign && draft.inside) {
    // Where there is nothing yet, the secret comes along; otherwise one rename must change everything.
    const comesAlong = !existsSync(target) && isSecretKept(terminal)
    const { appSecret } = comesAlong ? draft.inside : config
    await sealDraftAnew(draft, draft.inside, appSecret)
    if (comesAlong) adoptSecret(config.dataDir, appSecret, { keepsOld: hadSecret })
  }
  return putInPlace(target, draft.file)
}

/** Whether APP_SECRET is the one in the data folder. */
const isSecretKept = ({ env, folder }: Terminal): boolean =>
  describeConfig(variables, env, folder).found.some(({ name, source }) => name === 'APP_SECRET' && source === 'default')

/** Makes this the secret in the data folder. Keeps the old one next to it if it may still be needed. */
function adoptSecret(dataDir: string, secret: string, { keepsOld }: { keepsOld: boolean }): void {
  const file = appSecretFile(dataDir)
  const draft = `${file}.restoring`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  if (keepsOld) renameSync(file, `${file}.before-restore`)
  renameForGood(draft, file)
}

/** In one transaction, after the present rows were put aside. */
async function replaceRows(draft: Draft, { config, terminal, isForeign }: Replacing): Promise<string | undefined> {
  if (isForeign && draft.inside) await sealDraftAnew(draft, draft.inside, config.appSecret)
  const rows = join(draft.folder, 'rows.jsonl')
  await writeRowsOf(draft.folder, rows)
  return withDatabase(terminal, async (db) => {
    const folder = folderOf(config)
    const kept = join(folder, freeName(folder, Date.now(), 'jsonl', 'restore'))
    const isUsed = await isMigrated(db)
    if (isUsed) {
      makeFolder(folder)
      await db.backups.make(kept, leftOut)
    }
    await upgrade({ db, config, at: Date.now(), say: terminal.say })
    await replaceAll({ db, config }, rows, { isAgreed: true, isOurs: true })
    return isUsed ? kept : undefined
  })
}

/** The file to restore: a path, the name of a backup, or what the operator chooses from the list of a folder. */
export async function choose(
  args: string[],
  config: AppConfig,
  terminal: Terminal,
  { ask }: Pick<Questions, 'ask'>,
): Promise<string> {
  const usual = folderOf(config)
  const folder = args.length === 0 ? usual : pathOf(args, usual, terminal)
  if (args.length > 0 && !isFolder(folder)) return folder
  const backups = await listBackups(folder)
  if (backups.length === 0) throw new Error(`There are no backups in ${folder}. Enter a FILE.`)
  const numbers = backups.map((_, index) => String(index + 1))
  for (const line of backupTable(backups, numbers)) terminal.say(line)
  const answer = await ask(`Restore which one (1–${backups.length})? `)
  const chosen = backups[numbers.indexOf(answer ?? '')] ?? backups.find(({ name }) => name === answer)
  if (chosen) return join(folder, chosen.name)
  throw new Error(
    answer ? `${answer} is none of them. Nothing was changed.` : 'Enter its name: npm run toolbox -- restore NAME',
  )
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

/** What is named: a path, or else a backup in the usual folder. */
function pathOf(args: string[], usual: string, terminal: Terminal): string {
  const file = onlyFile(args, terminal)
  const named = join(usual, args[0] ?? '')
  return !existsSync(file) && existsSync(named) ? named : file
}

/** Replaces the database by a draft and answers where the old one is now. The target is always a whole database: the old one until the rename, then the new one. */
export function putInPlace(target: string, draft: string): string | undefined {
  sync(draft)
  if (!existsSync(target)) {
    renameSync(draft, target)
    sync(dirname(target))
    return undefined
  }
  const kept = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  const unlock = lock(target, kept)
  try {
    linkSync(target, kept)
    // Windows keeps the name of a file that is open.
    if (process.platform === 'win32') unlock()
    renameSync(draft, target)
    sync(dirname(target))
    return kept
  } finally {
    unlock()
  }
}

/** Shows whether a server is running: SQLite leaves WAL mode only if nobody else has the file open. */
function lock(file: string, kept: string): () => void {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (cause) {
    database.close()
    if (unavailabilityOf(cause) === 'damaged') return lockDamaged(file, kept)
    throw new Error(`A server is running on ${file}. Stop it first.`, { cause })
  }
  return () => {
    if (database.isOpen) database.close()
  }
}

/** SQLite can't lock what it can't read. The old write-ahead log must not be applied to the new file. */
function lockDamaged(file: string, kept: string): () => void {
  const release = lockFolder(dirname(file))
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
  rmSync(`${file}-shm`, { force: true })
  return release
}
