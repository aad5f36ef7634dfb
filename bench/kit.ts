import { randomUUID } from 'node:crypto'
import { readConfig } from '../src/server/config.ts'
import { openPostgres, openSqlite } from '../src/server/db/open.ts'
import { createEvents } from '../src/server/http/live-events.ts'
import { createLog } from '../src/server/log.ts'
import { createMetrics } from '../src/server/metrics.ts'
import { outbound } from '../src/server/outbound/client.ts'
import { openSecrets } from '../src/server/secrets.ts'
import { jobs } from '../src/server/work/jobs.ts'
import { telling } from '../src/users/notifications/tell.ts'

/** What the real start wires, on a real clock, network and file, by the variables of this process. */
export function openKit() {
  const config = readConfig(process.env, '/nowhere')
  const db = config.databaseUrl ? openPostgres(config.databaseUrl) : openSqlite(config.dataDir)
  const log = createLog(config.logLevel)
  const now = Date.now
  const kit = {
    config,
    db,
    now,
    log,
    secrets: openSecrets(config.appSecret),
    outbound: outbound({
      allowPrivateCidrs: config.allowPrivateCidrs,
      exempt: [],
      now,
      version: '0.0.0',
      baseUrl: config.baseUrl,
    }),
    jobs: jobs(db, randomUUID()),
    events: createEvents({ config, log }),
    metrics: createMetrics(),
    tell: telling(now),
  }
  return {
    kit,
    async close() {
      await kit.events.close()
      await kit.outbound.close()
      await db.close()
    },
  }
}
