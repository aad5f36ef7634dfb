import { type Kysely, sql } from 'kysely'
import { variables } from '../../../src/config.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { migratorOf, ownMigrations } from '../../../src/platform/db/migrations/migrate.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { serverTools } from '../../../src/server-tools.ts'
import { upgrade } from '../../../src/upgrade.ts'

// Kills the upgrade of FOLDER: `copied`, once the copy exists; `migrating`, with most data deleted, before the commit.
const [folder = '', when] = process.argv.slice(2)
const die = () => process.kill(process.pid, 'SIGKILL')
const db = openSqlite(folder)
const config = readConfig(variables, { DATA_DIR: folder }, folder)
if (when === 'copied') await upgrade({ db, config, at: Date.now(), say: die })
const deadly = {
  async up(tx: Kysely<unknown>) {
    for (const table of ['run', 'entry', 'users']) await sql`delete from ${sql.table(table)}`.execute(tx)
    die()
  },
}
const lists = serverTools.map(({ migrations = {} }) => migrations)
await migratorOf([...ownMigrations, ...lists, { '9999-deadly': () => deadly }], '9.9.9').migrate(db)
