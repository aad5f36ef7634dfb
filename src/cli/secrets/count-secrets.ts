import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import { sealedColumns } from '../../platform/crypto/sealed-columns.ts'
import { openSecrets, opens, sealedIn } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/open.ts'

export type SecretCounts = {
  all: number
  /** Only APP_SECRET_PREVIOUS decrypts these. */
  older: number
  /** Neither does. */
  closed: number
}

/** Tries every secret in a database, which may be of an older version and so without some of the columns. */
export async function countSecrets(
  { q }: Pick<Db, 'q'>,
  config: Pick<Config, 'appSecret' | 'previousAppSecret'>,
): Promise<SecretCounts> {
  const present = openSecrets({ appSecret: config.appSecret })
  const either = openSecrets(config)
  const counts: SecretCounts = { all: 0, older: 0, closed: 0 }
  const tables = await q.introspection.getTables()
  for (const place of Object.keys(sealedColumns)) {
    const [table = '', column = ''] = place.split('.')
    if (!tables.some(({ name, columns }) => name === table && columns.some((one) => one.name === column))) continue
    const query = sql<{ text: string }>`
      select ${sql.ref(column)} as text from ${sql.table(table)} where ${sql.ref(column)} like '%v1.%'`
    for (const { text } of (await query.execute(q)).rows)
      for (const sealed of sealedIn(text)) {
        counts.all += 1
        if (opens(present, sealed)) continue
        if (opens(either, sealed)) counts.older += 1
        else counts.closed += 1
      }
  }
  return counts
}
