import packageJson from '../package.json' with { type: 'json' }
import { backUpBefore, backupBefore } from './backups/before-upgrade.ts'
import type { AppConfig } from './config.ts'
import { migrate, nextFor } from './migrations.ts'
import { databaseInWords } from './platform/db/configured.ts'
import { NewerDatabase } from './platform/db/migrations/migrate.ts'
import type { Db } from './platform/db/open.ts'
import type { Instant } from './shared/time.ts'

type Upgrade = { db: Db; config: AppConfig; at: Instant; say: (line: string) => void }

/** Brings the configured database up to date. One that is embedded and in use is backed up first, which `say` hears. */
export async function upgrade({ db, config, at, say }: Upgrade): Promise<void> {
  const migration = await nextFor(db)
  if (migration && !db.isShared) {
    const file = await backUpBefore({ db, config, at, migration })
    say(`Backed up the database as ${file} before its upgrade to ToolBox ${packageJson.version}`)
  }
  await migrate(db)
}

/** Why the database can't be used and what the operator can do; undefined for any other error. */
export async function whyNotUsable(error: unknown, config: AppConfig): Promise<string | undefined> {
  const isTooNew = error instanceof NewerDatabase && !config.databaseUrl
  return databaseInWords(error, config, isTooNew ? await backupBefore(config, error.migration) : undefined)
}
