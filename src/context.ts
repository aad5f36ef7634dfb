import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import type { AppKit } from './app.ts'
import type { Config } from './server/config.ts'
import type { Db } from './server/db/open.ts'
import { elapsedOnMachine } from './server/elapsed.ts'
import { createHealth } from './server/health.ts'
import { createEvents } from './server/http/live-events.ts'
import { createMetrics } from './server/metrics.ts'
import { outbound } from './server/outbound/client.ts'
import { createOffline } from './server/outbound/offline.ts'
import type { Outbound } from './server/outbound/outbound.ts'
import { visitLimits } from './server/outbound/visit-limits.ts'
import { openSecrets } from './server/secrets.ts'
import { jobs } from './server/work/jobs.ts'
import { githubUrls } from './shared/github-urls.ts'
import type { Instant, Milliseconds } from './shared/time.ts'
import { telling } from './users/notifications/tell.ts'

/** `now` may be set, by whoever keeps the machine's time; `elapsed` only goes on. */
export type Clock = { now: () => Instant; elapsed: () => Milliseconds }

export const systemClock: Clock = { now: Date.now, elapsed: elapsedOnMachine() }

/** Everything that lasts as long as the server does, put together over an open database: for main, tests and benchmarks alike. */
export function createContext(
  config: Config,
  outside: { db: Db; log: Logger; clock: Clock; probes?: Pick<Outbound, 'request'> },
) {
  const { db, log, clock } = outside
  const health = createHealth(clock.elapsed)
  const metrics = createMetrics()
  const operators = [config.discordUrl, ...githubUrls(config.githubUrl), config.githubApiUrl, config.githubCamoUrl]
  const hosts = [...new Set(operators.map((url) => new URL(url).origin))]
  const network = {
    exempt: operators,
    now: clock.elapsed,
    version: packageJson.version,
    baseUrl: config.baseUrl,
  }
  // A client of its own: names that nobody answers for must not hold up the probes.
  const { probes = outbound({ ...network, allowPrivateCidrs: [] }) } = outside
  const work = jobs(db, randomUUID(), clock.now)
  const resume = (ids: readonly string[]) =>
    void work.resume(ids).catch((error: unknown) => log.warn({ err: error }, 'Postponed turns come back later.'))
  const offline = createOffline({ hosts, outbound: probes, elapsed: clock.elapsed, log, metrics, resume })
  const context = {
    config,
    db,
    log,
    now: clock.now,
    elapsed: clock.elapsed,
    health,
    secrets: openSecrets(config.appSecret),
    outbound: outbound({ ...network, allowPrivateCidrs: config.allowPrivateCidrs, onAnswer: offline.answered }),
    offline,
    visitLimits: visitLimits(clock.elapsed),
    jobs: work,
    events: createEvents({ config, log, health }),
    metrics,
    tell: telling(clock.now),
  } satisfies AppKit
  return context
}
