import { flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import type { Logger } from 'pino'
import { cleanUpAccounts, cleanUpTools, createApp, createWorker, isPage } from './app.ts'
import { createBackups } from './backups/backups.ts'
import { scheduleBackups } from './backups/schedule.ts'
import { type AppConfig, variables } from './config.ts'
import { createContext } from './context.ts'
import { isMigrated } from './migrations.ts'
import { notifyAdminsOnce, watchServer } from './notices/watch-server.ts'
import { sharedClock, systemClock } from './platform/clock.ts'
import { type Config, readConfig, warningsOf } from './platform/config/config.ts'
import { ConfigError, StartError } from './platform/config/env.ts'
import { lostDiskWarning, missingAddressWarning } from './platform/config/hosting.ts'
import { verifySecret } from './platform/crypto/secrets.ts'
import { lockDatabase, openDatabase, openWithoutTimeLimit, requireUsable } from './platform/db/configured.ts'
import type { Db } from './platform/db/open.ts'
import { releaseMemory } from './platform/heap.ts'
import { readiness, tryToWrite } from './platform/http/health.ts'
import { serveSources } from './platform/http/page/dev.ts'
import { serveApp } from './platform/http/page/static.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import { createLog } from './platform/log.ts'
import { preloadHintsOf } from './preload-hints.ts'
import { recordSize } from './self-check/checks/database.ts'
import { closeAll } from './shared/async.ts'
import { minutes, seconds } from './shared/time.ts'
import { createAuth } from './sign-in/better-auth.ts'
import { setupLink } from './sign-in/set-up.ts'
import { describeOpenError, upgrade } from './upgrade.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const inDevelopment = process.env.NODE_ENV === 'development'

/** Opens everything in order and listens. From then on, a signal closes everything in reverse. */
async function start(config: AppConfig, log: Logger): Promise<void> {
  const release = lockDatabase(config)
  const db = await openMigrated(config, log)
  const lost = lostDiskWarning(config, process.env)
  const warnings = lost ? [lost] : []
  const context = createContext(config, { db, log, clock: await sharedClock(db, systemClock), warnings })
  await verifySecret(db, context.secrets)
  const auth = await createAuth(context)
  const link = await setupLink(context)
  const app = await createApp(context, auth)
  if (inDevelopment) await serveSources(app, { root, isPage })
  else await serveApp(app, { folder: join(root, 'dist'), isPage, preloadHintsOf })
  const work = createWorker(context)
  const started = Promise.withResolvers<() => Promise<void>>()
  // Until here, a signal ends the process immediately: no work is in progress, and opening the database can take long.
  endOnSignal(async () => (await started.promise)(), log)
  await app.listen({ port: config.port, host: config.host })
  await releaseAbandonedJobs(db, context)
  await work.start()
  const warned = [
    lost,
    missingAddressWarning(config, process.env),
    ...warningsOf(variables, process.env, process.cwd()),
  ]
  for (const warning of warned) if (warning) log.warn(warning)
  const cleaning = setInterval(() => {
    if (lost) auth.background.once('warning of the disk', () => notifyAdminsOnce(context, 'disk warning', lost))
    auth.background.once('cleaning up account data', () => cleanUpAccounts(context))
    auth.background.once('cleaning up tool data', () => cleanUpTools(context))
    auth.background.once('noting the size of the database', () => recordSize(context))
  }, minutes(10))
  const checkServer = watchServer(context, readiness({ ...context, isMigrated, timeout: seconds(2) }))
  const watching = setInterval(() => auth.background.once('watching the server', checkServer), seconds(5))
  const endBackups = scheduleBackups(context, createBackups(context))
  announce(config, link)
  // Write the compile cache now, because a killed server never would.
  flushCompileCache()
  const idle = setTimeout(releaseMemory, seconds(5))

  started.resolve(async () => {
    clearTimeout(idle)
    clearInterval(cleaning)
    clearInterval(watching)
    endBackups()
    // In total less than the 30 s after which service managers kill a process.
    await closeAll([
      { what: 'worker', within: seconds(19), close: work.stop },
      { what: 'HTTP server', within: seconds(4), close: () => app.close() },
      { what: 'connection for live events', within: seconds(1.5), close: context.events.close },
      { what: 'client for other hosts', within: seconds(0.5), close: context.outbound.close },
      { what: 'database', within: seconds(1.5), close: db.close },
    ])
    release()
  })
}

/** Opens the database and migrates it to this version's schema. Only the migration has no time limit. */
async function openMigrated(config: AppConfig, log: Logger): Promise<Db> {
  const first = openWithoutTimeLimit(config)
  await requireUsable(first)
  await upgrade({ db: first, config, at: Date.now(), say: (line) => log.info(line) })
  await first.close()
  const db = openDatabase(config, {
    onSilence: (error) => log.warn({ err: error }, 'Replacing a half-open connection to PostgreSQL'),
  })
  if (!db.isShared) await tryToWrite(db)
  return db
}

/** Releases jobs that a killed server has leased: an embedded database has only one server at a time. */
async function releaseAbandonedJobs(db: Db, context: { jobs: Jobs; now: () => number }) {
  if (!db.isShared) await context.jobs.releaseAll(context.now())
}

/** On a terminal, the setup link stands out from the log. */
function announce({ baseUrl }: Config, link: string | undefined) {
  console.log(`ToolBox is running at ${baseUrl}`)
  if (!link) return
  const words = 'There is no admin yet. Create the first one here (the link works once, within 24 hours):'
  console.log(process.stdout.isTTY ? `\n${words}\n\n  ${styleText('bold', link)}\n` : `${words} ${link}`)
}

/**
 * The first signal ends the process once work in progress is finished; a later one ends it immediately. Signals within
 * a second are one: a process group's signal reaches us directly, and again through npm and the launcher.
 */
function endOnSignal(close: () => Promise<void>, log: Logger) {
  let endingSince: number | undefined
  const end = (signal: NodeJS.Signals) => {
    if (endingSince !== undefined && performance.now() - endingSince < seconds(1)) return
    if (endingSince !== undefined) process.exit(1)
    endingSince = performance.now()
    log.info({ signal }, 'Shutting down: finishing work in progress')
    close().then(
      () => {
        log.info('Stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ err: error }, 'Shutdown was not clean')
        process.exit(1)
      },
    )
  }
  // SIGHUP is sent when the window of a terminal is closed, SIGBREAK by Ctrl+Break on Windows.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'] as const) process.on(name, end)
}

let config: AppConfig | undefined
try {
  config = readConfig(variables, process.env, process.cwd())
  const log = createLog(config.logLevel)
  await start(config, log)
} catch (error) {
  console.error(describeStartError(error) ?? (config && (await describeOpenError(error, config))) ?? error)
  process.exit(1)
}

/** A message for errors in the configuration; undefined for bugs and database errors. */
function describeStartError(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  const { code, port, address, hostname } = Object(error)
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is already in use. Set PORT to another one.`
  if (code === 'EACCES' && port) return `This user isn't allowed to open port ${port}. Set PORT to another one.`
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && hostname === process.env.HOST?.trim()))
    return 'HOST is not an address of this machine.'
  return undefined
}
