import { createContext, systemClock } from '../src/context.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { openSqlite } from '../src/platform/db/open.ts'
import { openPostgres } from '../src/platform/db/postgres.ts'
import { createLog } from '../src/platform/log.ts'

/** What the real start wires, on a real clock, network and file, by the variables of this process. */
export function openKit() {
  const config = readConfig(process.env, '/nowhere')
  const db = config.databaseUrl ? openPostgres(config.databaseUrl) : openSqlite(config.dataDir)
  const kit = createContext(config, { db, log: createLog(config.logLevel), clock: systemClock })
  return {
    kit,
    async close() {
      await kit.events.close()
      await kit.outbound.close()
      await db.close()
    },
  }
}
