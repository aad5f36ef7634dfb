import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { checkBackups } from '../backups/check.ts'
import { type AppConfig, variables } from '../config.ts'
import { migrationNames } from '../migrations.ts'
import { type CheckResult, ok, problem, warning } from '../platform/check-result.ts'
import { appSecretFile } from '../platform/config/app-secret.ts'
import { describeConfig } from '../platform/config/config.ts'
import { requireUsable } from '../platform/db/configured.ts'
import type { Db } from '../platform/db/open.ts'
import { draftFolder } from './restore.ts'
import { countSecrets } from './secrets.ts'
import { type Command, type Terminal, UsageError, withDatabase } from './terminal.ts'

/** Checks an installation without changing it, and prints what to do. Throws if there is a problem. */
export const doctor: Command = async (args, terminal) => {
  if (args.length > 0) throw new UsageError('doctor takes no arguments.')
  const findings = await examine(terminal)
  for (const { state, what, todo } of findings) {
    terminal.say(`${state.padEnd(8)} ${what}`)
    if (todo) terminal.say(`         → ${todo}`)
  }
  const problems = findings.filter(({ state }) => state === 'problem').length
  if (problems > 0) throw new Error(problems === 1 ? 'There is 1 problem.' : `There are ${problems} problems.`)
}

const isBad = ({ state }: CheckResult) => state === 'problem'

async function examine(terminal: Terminal): Promise<CheckResult[]> {
  const { found, mistakes } = describeConfig(variables, terminal.env, terminal.folder)
  if (mistakes.length > 0) return mistakes.map((mistake) => problem(mistake, 'Correct this variable.'))
  const byName = new Map(found.map((one) => [one.name, one]))
  const dataDir = resolve(terminal.folder, byName.get('DATA_DIR')?.text ?? '')
  const isEmbedded = byName.get('DATABASE_URL')?.source === 'default'
  const isSecretKept = byName.get('APP_SECRET')?.source === 'default'
  const findings = [ok('The configuration is valid.')]
  if (isEmbedded) {
    findings.push(...checkFolder({ dataDir, isSecretKept }))
    const file = join(dataDir, 'toolbox.db')
    if (existsSync(file)) findings.push(...checkFile(file))
    if (findings.some(isBad)) return findings
  }
  try {
    return [...findings, ...(await examineDatabase(terminal))]
  } catch (error) {
    return [...findings, problem(String(Object(error).message), 'Fix this first, then run doctor again.')]
  }
}

const examineDatabase = (terminal: Terminal): Promise<CheckResult[]> =>
  withDatabase(terminal, async (db, config) => {
    await requireUsable(db)
    const schema = await checkMigrations(db)
    if (isBad(schema)) return [schema]
    return [schema, await checkSecrets(db, config), ...(await checkBackups(db, config, Date.now()))]
  })

type DataFolder = { dataDir: string; isSecretKept: boolean }

/** Checks that the data folder of an embedded database is complete, and accessible only to its owner. */
function checkFolder({ dataDir, isSecretKept }: DataFolder): CheckResult[] {
  if (!existsSync(dataDir))
    return [problem(`There is no data folder at ${dataDir}.`, 'Set DATA_DIR to it, or start ToolBox to create it.')]
  const database = join(dataDir, 'toolbox.db')
  if (!existsSync(database))
    return [problem(`There is no database in ${dataDir}.`, 'Set DATA_DIR to its folder, or restore a backup.')]
  const secret = appSecretFile(dataDir)
  const files = [dataDir, database, ...(isSecretKept && existsSync(secret) ? [secret] : [])]
  const findings = files.flatMap(checkAccess)
  if (isSecretKept && !existsSync(secret))
    findings.push(
      problem(
        `${secret} is missing, so the secrets in the database can't be decrypted.`,
        'Put it back, set APP_SECRET to its text, or restore an encrypted backup, which contains it.',
      ),
    )
  if (existsSync(draftFolder({ dataDir })))
    findings.push(warning(`${draftFolder({ dataDir })} was left by a restore that was interrupted.`, 'Delete it.'))
  return findings.length > 0 ? findings : [ok(`The data folder ${dataDir} is complete and private.`)]
}

function checkAccess(path: string): CheckResult[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch {
    return [problem(`${path} can't be read and written by this user.`, 'Change its owner, or run this as its owner.')]
  }
  const others = process.platform === 'win32' ? 0 : statSync(path).mode & 0o077
  return others === 0
    ? []
    : [warning(`${path} can be opened by other users of this machine.`, `Run chmod go= "${path}".`)]
}

const restoreIt = 'Stop the server and restore a backup: npm run toolbox -- restore'

/** Checks the integrity of an SQLite file; reads all of it. */
function checkFile(file: string): CheckResult[] {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    try {
      const [{ integrity_check: state } = {}] = database.prepare('pragma integrity_check(1)').all()
      if (state !== 'ok') return [problem(`The database is damaged: ${state}.`, restoreIt)]
      const broken = database.prepare('pragma foreign_key_check').all()
      const tables = [...new Set(broken.map(({ table }) => table))].join(', ')
      if (broken.length > 0)
        return [problem(`${broken.length} rows refer to others that don't exist (in ${tables}).`, restoreIt)]
      return [ok('The database is intact.')]
    } finally {
      database.close()
    }
  } catch (error) {
    return [problem(`The database can't be read: ${Object(error).message}.`, restoreIt)]
  }
}

async function checkMigrations({ q }: Pick<Db, 'q'>): Promise<CheckResult> {
  const tables = await q.introspection.getTables()
  if (!tables.some(({ name }) => name === 'migration'))
    return problem('There is nothing in the database yet.', 'Start ToolBox, which fills it, or restore a backup.')
  const { rows } = await sql<{ name: string }>`select name from migration order by name`.execute(q)
  const done = rows.map(({ name }) => name)
  const unknown = done.find((name) => !migrationNames.includes(name))
  if (unknown)
    return problem(
      `A newer ToolBox has upgraded the database (${unknown}).`,
      'Start that version, or restore a backup.',
    )
  const pending = migrationNames.length - done.length
  if (pending === 0) return ok('The schema is up to date.')
  return ok(`The next start runs ${pending === 1 ? '1 migration' : `${pending} migrations`}.`)
}

/** Checks that every secret in the database can be decrypted, and that a rotation of APP_SECRET is complete. */
async function checkSecrets(db: Pick<Db, 'q'>, config: AppConfig): Promise<CheckResult> {
  const { total, needPrevious, undecryptable } = await countSecrets(db, config)
  if (undecryptable > 0)
    return problem(
      `APP_SECRET can't decrypt ${undecryptable} of ${total} secrets in the database.`,
      'Set the APP_SECRET they were encrypted with, or the older one as APP_SECRET_PREVIOUS, and run rotate-secret.',
    )
  if (needPrevious > 0)
    return warning(
      `${needPrevious} of ${total} secrets in the database are still encrypted with APP_SECRET_PREVIOUS.`,
      'Encrypt them with APP_SECRET: npm run toolbox -- rotate-secret',
    )
  if (config.previousAppSecret !== undefined)
    return warning('Nothing in the database needs APP_SECRET_PREVIOUS.', 'Remove it and restart the server.')
  return ok('APP_SECRET decrypts every secret in the database.')
}
