import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { waitingNote } from './admission/access/store.ts'
import { acceptPendingInvite, inviteNote } from './admission/invites/accept.ts'
import { signInWithProvider } from './admission/sign-in-with-provider.ts'
import type { AppContext } from './app.ts'
import { backupIntervalOf } from './backups/config.ts'
import { lastBackupAt } from './backups/state.ts'
import type { AppConfig } from './config.ts'
import { auditAndNotify } from './notices/account-changes.ts'
import { createNotify } from './notices/notify.ts'
import type { Clock } from './platform/clock.ts'
import { openSecrets } from './platform/crypto/secrets.ts'
import type { Db } from './platform/db/open.ts'
import { createHealth } from './platform/health.ts'
import { createImportTurns } from './platform/imports/turns.ts'
import { measureDueWork } from './platform/jobs/due-work.ts'
import { jobs } from './platform/jobs/jobs.ts'
import { createEvents } from './platform/live/live-events.ts'
import { createMetrics, measureDatabase } from './platform/metrics.ts'
import { outbound } from './platform/net/client.ts'
import type { Resolve } from './platform/net/names.ts'
import { createOffline } from './platform/net/offline.ts'
import type { Outbound } from './platform/net/outbound.ts'
import { visitLimits } from './platform/net/visit-limits.ts'
import { cached } from './shared/async.ts'
import { seconds } from './shared/time.ts'
import { githubUrls } from './shared/urls/reach.ts'
import type { Admission } from './sign-in/providers/provider.ts'

/** Everything that lives as long as the server, on an open database. `warnings` are hosting problems. */
export function createContext(
  config: AppConfig,
  outside: {
    db: Db
    log: Logger
    clock: Clock
    probes?: Pick<Outbound, 'request'>
    resolve?: Resolve
    warnings?: readonly string[]
  },
) {
  const { db, log, clock } = outside
  const health = createHealth(clock.elapsed)
  const secrets = openSecrets(config)
  const metrics = createMetrics()
  const lastBackup = cached(clock.elapsed, seconds(30), () => lastBackupAt(db.q))
  metrics.add(
    {
      name: 'toolbox_build_info',
      help: 'Always 1; the label is the running version of ToolBox.',
      label: 'version',
      read: () => [{ labels: { version: packageJson.version }, value: 1 }],
    },
    {
      name: 'toolbox_backup_last_success_timestamp_seconds',
      help: 'Time of the last verified backup; absent before the first.',
      async read() {
        const at = await lastBackup()
        return at === undefined ? [] : [{ value: at / 1_000 }]
      },
    },
    {
      name: 'toolbox_backup_interval_seconds',
      help: 'Interval of automatic backups (BACKUP_EVERY); absent if they are off.',
      read: () => (backupIntervalOf(config) === 0 ? [] : [{ value: backupIntervalOf(config) / seconds(1) }]),
    },
  )
  const measured = {
    room: measureDatabase(metrics, db, clock.elapsed),
    dueWork: measureDueWork(metrics, { db, ...clock }),
  }
  const operators = [config.discordUrl, ...githubUrls(config.githubUrl), config.githubApiUrl, config.githubCamoUrl]
  const hosts = [...new Set(operators.map((url) => new URL(url).origin))]
  const network = {
    exempt: [...operators, config.telegramUrl],
    elapsed: clock.elapsed,
    now: clock.now,
    version: packageJson.version,
    baseUrl: config.baseUrl,
    ...(outside.resolve && { resolve: outside.resolve }),
  }
  // Probes have their own client, so that unanswered DNS lookups don't delay them.
  const { probes = outbound({ ...network, allowPrivateCidrs: [] }) } = outside
  const work = jobs(db, randomUUID(), clock.now)
  const resume = (ids: readonly string[]) =>
    void work
      .resume(ids)
      .catch((error: unknown) => log.warn({ err: error }, 'Failed to resume postponed jobs; resuming them later'))
  const offline = createOffline({ hosts, outbound: probes, elapsed: clock.elapsed, log, metrics, resume })
  const notify = createNotify({ db, jobs: work, now: clock.now })
  const context = {
    config,
    db,
    log,
    now: clock.now,
    elapsed: clock.elapsed,
    refreshClock: clock.refresh,
    health,
    secrets,
    outbound: outbound({ ...network, allowPrivateCidrs: config.allowPrivateCidrs, onAnswer: offline.answered }),
    operatorHosts: new Set(hosts.map((origin) => new URL(origin).host)),
    offline,
    visitLimits: visitLimits(clock.elapsed),
    importTurns: createImportTurns(clock.elapsed),
    jobs: work,
    events: createEvents({ db, log, health, elapsed: clock.elapsed, secrets, metrics }),
    metrics,
    measured,
    warnings: outside.warnings ?? [],
    notify,
    admission,
    audit: (tx, change) => auditAndNotify({ notify }, tx, clock.now(), change.target.id, change),
  } satisfies AppContext
  return context
}

const admission: Admission = {
  signInWithProvider,
  inviteNote,
  acceptPendingInvite,
  waitingNote,
}
