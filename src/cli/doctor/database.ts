import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { AppConfig } from '../../config.ts'
import { migrationNames } from '../../migrations.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Finding, ok, problem, warning } from '../../shared/finding.ts'
import { countSecrets } from '../secrets/count-secrets.ts'

const restoreIt = 'Stop the server and restore a backup: npm run toolbox -- restore'

/** Whether a file of SQLite is intact; reads all of it. */
export function checkFile(file: string): Finding[] {
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

/** Whether this version can use the schema. */
export async function checkMigrations({ q }: Pick<Db, 'q'>): Promise<Finding> {
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
  const left = migrationNames.length - done.length
  return ok(left === 0 ? 'The schema is up to date.' : `The next start upgrades the database by ${left} migrations.`)
}

/** Whether everything that is sealed can be opened, and whether a change of the secret has come to its end. */
export async function checkSecrets(db: Pick<Db, 'q'>, config: AppConfig): Promise<Finding> {
  const { all, older, closed } = await countSecrets(db, config)
  if (closed > 0)
    return problem(
      `APP_SECRET doesn't decrypt ${closed} of ${all} secrets in the database.`,
      'Set the APP_SECRET they were encrypted with, or the older one as APP_SECRET_PREVIOUS, and use rotate-secret.',
    )
  if (older > 0)
    return warning(
      `${older} of ${all} secrets in the database are still encrypted with APP_SECRET_PREVIOUS.`,
      'Encrypt them with APP_SECRET: npm run toolbox -- rotate-secret',
    )
  if (config.previousAppSecret !== undefined)
    return warning('Nothing in the database needs APP_SECRET_PREVIOUS.', 'Remove it and restart the server.')
  return ok('APP_SECRET decrypts every secret in the database.')
}
