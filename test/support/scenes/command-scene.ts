import { join } from 'node:path'
import { withDatabase } from '../../../src/cli/terminal.ts'
import { migrate } from '../../../src/migrations.ts'
import { openSecrets, verifySecret } from '../../../src/platform/crypto/secrets.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { createAdmin as addAdmin } from '../../../src/sign-in/set-up.ts'

/** The password of the admins made here. */
export const password = 'a long enough pass phrase'

/** An admin in the database of this folder, made as the command makes one, without a process of its own. */
export const createAdmin = (folder: string, name = 'admin', env: Record<string, string> = {}) =>
  withDatabase({ env, folder, say: () => {} }, async (db, config) => {
    await migrate(db)
    await verifySecret(db, openSecrets(config))
    await addAdmin(
      { config, db, now: Date.now, notify: async () => [] },
      { email: `${name}@example.com`, username: name, password },
    )
  })

/** Does this with the SQLite database of this folder. */
export async function withDb<T>(folder: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(join(folder, 'data'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The usernames there are. */
export const usernames = (db: Db) =>
  db.q
    .selectFrom('users')
    .select('cred_username')
    .orderBy('cred_username')
    .execute()
    .then((rows) => rows.map((row) => row.cred_username))
