import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { migrationNames } from '../../migrations.ts'
import { sealedColumns } from '../../platform/crypto/sealed-columns.ts'
import { opens, type Secrets } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Finding, ok, problem } from './finding.ts'

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

/** Whether everything that is sealed can be opened. */
export async function checkSecrets({ q }: Pick<Db, 'q'>, secrets: Secrets): Promise<Finding> {
  const counts = { sealed: 0, closed: 0 }
  for (const name of Object.keys(sealedColumns)) {
    const [table = '', column = ''] = name.split('.')
    const query = sql<{ text: string }>`
      select ${sql.ref(column)} as text from ${sql.table(table)} where ${sql.ref(column)} like '%v1.%'`
    for (const { text } of (await query.execute(q)).rows)
      for (const sealed of text.match(/v1\.[\w-]{38,}/g) ?? []) {
        counts.sealed += 1
        if (!opens(secrets, sealed)) counts.closed += 1
      }
  }
  if (counts.closed === 0) return ok('APP_SECRET decrypts every secret in the database.')
  return problem(
    `APP_SECRET doesn't decrypt ${counts.closed} of ${counts.sealed} secrets in the database.`,
    'Set the APP_SECRET they were encrypted with, or the older one as APP_SECRET_PREVIOUS, and use rotate-secret.',
  )
}
