import { join } from 'node:path'
import { withDatabase } from '../../../src/cli/terminal.ts'
import { migrate } from '../../../src/migrations.ts'
import { openSecrets, verifySecret } from '../../../src/platform/crypto/secrets.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { createAdmin as addAdmin } from '../../../src/sign-in/set-up.ts'

export const password = 'a long enough pass phrase'

/** Creates an admin in this folder's database as the command does, but in this process. */
export const createAdmin = (folder: string, name = 'admin', env: Record<string, string> = {}) =>
  withDatabase({ env, folder, say: () => {} }, async (db, config) => {
    await migrate(db)
    await verifySecret(db, openSecrets(config))
    await addAdmin(
      { config, db, now: Date.now, notify: async () => [] },
      { email: `${name}@example.com`, username: name, password },
    )
  })

export async function withDb<T>(folder: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(join(folder, 'data'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export const usernames = (db: Db) =>
  db.q
    .selectFrom('users')
    .select('cred_username')
    .orderBy('cred_username')
    .execute()
    .then((rows) => rows.map((row) => row.cred_username))
