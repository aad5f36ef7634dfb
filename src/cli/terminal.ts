import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type AppConfig, variables } from '../config.ts'
import { isMigrated, migrationNames } from '../migrations.ts'
import { commandLine, writeAudit } from '../people/audit/log.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import { StartError } from '../platform/config/env.ts'
import { openWithoutTimeLimit } from '../platform/db/configured.ts'
import type { Db } from '../platform/db/open.ts'
import { inspect } from '../platform/db/sqlite/inspect.ts'
import { withTimeout } from '../shared/async.ts'
import { type Milliseconds, seconds } from '../shared/time.ts'
import { describeOpenError } from '../upgrade.ts'

export type Terminal = {
  env: NodeJS.ProcessEnv
  /** The working folder, which contains `.env` and a relative DATA_DIR. */
  folder: string
  say: (line: string) => void
}
/** A command for operators. Throws UsageError for wrong arguments, and any other error if it fails. */
export type Command = (args: string[], terminal: Terminal) => Promise<void>

export class UsageError extends Error {}

/** The file named by the only argument, relative to the folder in which npm was called. */
export function parseFileArgument([name, ...more]: string[], { env, folder }: Terminal): string {
  if (!name || more.length > 0) throw new UsageError('Enter exactly one FILE.')
  return resolve(env.INIT_CWD ?? folder, name)
}

/** Like `parseFileArgument`, for a file to write. Throws if SQLite would use it as part of the database, or delete it. */
export function parseNewFileArgument(args: string[], terminal: Terminal): string {
  const file = parseFileArgument(args, terminal)
  const isBeside = realPath(dirname(file)) === realPath(configOf(terminal).dataDir)
  if (isBeside && /^toolbox\.db-(?:wal|shm|journal)$/i.test(basename(file)))
    throw new Error(`${file} is a file of the database. Choose another name.`)
  return file
}

/** Resolves all symbolic links of a path, even if the path doesn't exist yet. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync.native(path)
  const above = dirname(path)
  // On Windows, a drive that doesn't exist is its own parent.
  return above === path ? path : join(realPath(above), basename(path))
}

export const configOf = ({ env, folder }: Terminal): AppConfig => readConfig(variables, env, folder)

/** Opens the configured database without time limits, runs `work` on it, and closes it. */
export async function withDatabase<T>(terminal: Terminal, work: (db: Db, config: AppConfig) => Promise<T>): Promise<T> {
  const config = configOf(terminal)
  try {
    return await closeAfter(openWithoutTimeLimit(config), (db) => work(db, config))
  } catch (error) {
    const words = await describeOpenError(error, config)
    throw words ? new StartError(words, { cause: error }) : error
  }
}

export async function closeAfter<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export async function requireMigrated(db: Db): Promise<void> {
  if (!(await isMigrated(db))) throw new Error('This database has another version. Start the server on it first.')
}

/** Returns the path of the existing SQLite file. Throws if there is none yet or the installation uses PostgreSQL. */
export function requireDatabaseFile(config: Config): string {
  const file = databaseFile(config)
  if (existsSync(file)) return file
  throw new Error(`There is no database at ${file} yet.`)
}

/** Returns the path of the SQLite file, which may not exist. Throws if the installation uses PostgreSQL. */
export function databaseFile(config: Config): string {
  if (!config.databaseUrl) return join(config.dataDir, 'toolbox.db')
  throw new Error('This installation uses PostgreSQL. Use pg_dump and pg_restore, or export and import.')
}

/** Throws unless the file is an intact database that this version of ToolBox can use. */
export function requireCompatible(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const unknown = inspect(file).migrations.find((name) => !migrationNames.includes(name))
  if (unknown) throw new Error(`${file} was written by a newer ToolBox (${unknown}).`)
}

/** Logs that a command has copied or replaced the whole database. If logging fails, only prints a message. */
export async function logCommand(
  terminal: Terminal,
  action: 'data.backup' | 'data.restore' | 'data.export',
  file: string,
): Promise<void> {
  const target = { id: null, name: basename(file) }
  try {
    await withDatabase(terminal, async (db) => {
      if (await isMigrated(db)) await writeAudit(db.q, Date.now(), { actor: commandLine, action, target })
    })
  } catch (error) {
    terminal.say(`This could not be recorded in the audit log: ${error instanceof Error ? error.message : error}`)
  }
}

/** A pipe that stays silent for this long has no line. */
const longestSilence: Milliseconds = seconds(10)

/** Reads answers of the operator line by line, from a terminal or a pipe. */
export function openQuestions() {
  const { stdin, stdout } = process
  const state = { isHidden: false }
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!state.isHidden) stdout.write(chunk)
      done()
    },
  })
  let lines: ReturnType<typeof createInterface> | undefined
  let next: AsyncIterator<string> | undefined
  return {
    /** Whether the operator can be asked again. */
    isTerminal: stdin.isTTY === true,
    /** Returns the next line; undefined if there is none. Throws if it isn't UTF-8. Hidden input isn't echoed. */
    async ask(question: string, isHidden = false): Promise<string | undefined> {
      lines ??= createInterface({ input: stdin, output: echo, terminal: stdin.isTTY === true })
      next ??= lines[Symbol.asyncIterator]()
      if (stdin.isTTY) stdout.write(question)
      state.isHidden = isHidden
      const line = await (stdin.isTTY ? next.next() : withTimeout(longestSilence, next.next()))
      state.isHidden = false
      if (isHidden && stdin.isTTY) stdout.write('\n')
      return line === undefined || line.done ? undefined : requireUtf8(line.value)
    },
    close() {
      if (!lines) return
      lines.close()
      stdin.destroy()
    },
  }
}
export type Questions = Pick<ReturnType<typeof openQuestions>, 'ask' | 'isTerminal'>

/** Removes the byte order mark that editors put before the first line. Throws if the line isn't UTF-8. */
function requireUtf8(line: string): string {
  if (/[\0\ufffd]/.test(line))
    throw new Error("The piped input isn't UTF-8. Notepad and PowerShell may save UTF-16: save it as UTF-8.")
  return line.replace(/^\ufeff/, '')
}
