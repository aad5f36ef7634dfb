import { sql } from 'kysely'
import { commandLine, writeAudit } from '../people/audit/log.ts'
import type { Config } from '../platform/config/config.ts'
import {
  canOpen,
  openSecrets,
  type Secrets,
  sealedColumns,
  sealedIn,
  verifySecret,
} from '../platform/crypto/secrets.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import { type Command, requireMigrated, UsageError, withDatabase } from './terminal.ts'

/** Rows per transaction: few enough that a running server hardly waits for it. */
const atOnce = 200

/** Re-encrypts secrets while servers with both secrets run. Can be stopped at any time: finished rows stay done. */
export const rotateSecret: Command = async (args, terminal) => {
  if (args.length > 0) throw new UsageError('rotate-secret takes no arguments.')
  await withDatabase(terminal, async (db, config) => {
    if (config.previousAppSecret === undefined)
      throw new UsageError(
        'Set APP_SECRET to the new secret and APP_SECRET_PREVIOUS to the old one, and restart the server, before you run rotate-secret.',
      )
    await requireMigrated(db)
    const secrets = openSecrets(config)
    await verifySecret(db, secrets)
    const count = await resealAll(db, secrets)
    await writeAudit(db.q, Date.now(), { actor: commandLine, action: 'secret.rotate' })
    terminal.say(
      `Encrypted ${count} rows with the new APP_SECRET. Remove APP_SECRET_PREVIOUS and restart the server. Older backups still need the old secret.`,
    )
  })
}

/** Re-encrypts every column, in the order of the list; returns the number of changed rows. */
export async function resealAll(db: Db, secrets: Secrets): Promise<number> {
  let count = 0
  for (const [name, key] of Object.entries(sealedColumns)) {
    const [table = '', column = ''] = name.split('.')
    count += await resealColumn(db, secrets, { table, column, key })
  }
  return count
}

type ColumnRef = { table: string; column: string; key: string }
type Row = { key: string; text: string }

async function resealColumn(db: Db, secrets: Secrets, place: ColumnRef): Promise<number> {
  let count = 0
  for (let rows = await rowsAfter(db.q, place, ''); rows.length > 0; ) {
    count += await resealRows(db, secrets, place, rows)
    rows = await rowsAfter(db.q, place, rows.at(-1)?.key ?? '')
  }
  return count
}

async function rowsAfter(q: Queries, { table, column, key }: ColumnRef, last: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${sql.ref(key)} as key, ${sql.ref(column)} as text from ${sql.table(table)}
    where ${sql.ref(key)} > ${last} and ${sql.ref(column)} like '%v1.%' order by ${sql.ref(key)} limit ${atOnce}`.execute(
    q,
  )
  return rows
}

const resealRows = (
  db: Db,
  secrets: Secrets,
  { table, column, key }: ColumnRef,
  rows: readonly Row[],
): Promise<number> =>
  transact(db, async (tx) => {
    let count = 0
    for (const row of rows) {
      let { text } = row
      for (let resealed = secrets.reseal(text); resealed !== text; resealed = secrets.reseal(text)) {
        const { numAffectedRows } = await sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${resealed}
          where ${sql.ref(key)} = ${row.key} and ${sql.ref(column)} = ${text}`.execute(tx)
        if (numAffectedRows) count += 1
        if (numAffectedRows) break
        // The row was saved in the meantime, perhaps still with the previous secret.
        const now = await sql<{ text: string }>`
          select ${sql.ref(column)} as text from ${sql.table(table)} where ${sql.ref(key)} = ${row.key}`.execute(tx)
        const [current] = now.rows
        if (!current?.text) break
        text = current.text
      }
    }
    return count
  })

type SecretCounts = {
  total: number
  /** Only APP_SECRET_PREVIOUS decrypts these. */
  needPrevious: number
  /** Neither secret decrypts these. */
  undecryptable: number
}

/** Tries to decrypt every secret in a database, which may be of an older version that lacks some columns. */
export async function countSecrets(
  { q }: Pick<Db, 'q'>,
  config: Pick<Config, 'appSecret' | 'previousAppSecret'>,
): Promise<SecretCounts> {
  const currentSecrets = openSecrets({ appSecret: config.appSecret })
  const either = openSecrets(config)
  const counts: SecretCounts = { total: 0, needPrevious: 0, undecryptable: 0 }
  const tables = await q.introspection.getTables()
  for (const place of Object.keys(sealedColumns)) {
    const [table = '', column = ''] = place.split('.')
    if (!tables.some(({ name, columns }) => name === table && columns.some((one) => one.name === column))) continue
    const query = sql<{ text: string }>`
      select ${sql.ref(column)} as text from ${sql.table(table)} where ${sql.ref(column)} like '%v1.%'`
    for (const { text } of (await query.execute(q)).rows)
      for (const sealed of sealedIn(text)) {
        counts.total += 1
        if (canOpen(currentSecrets, sealed)) continue
        if (canOpen(either, sealed)) counts.needPrevious += 1
        else counts.undecryptable += 1
      }
  }
  return counts
}
