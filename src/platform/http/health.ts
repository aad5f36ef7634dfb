import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import { withTimeout } from '../../shared/async.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import type { Config } from '../config/config.ts'
import { isSameText } from '../crypto/secrets.ts'
import type { Db } from '../db/open.ts'
import { DatabaseUnavailable, type Unavailability } from '../db/unavailable.ts'
import type { Health } from '../health.ts'
import type { Metrics } from '../metrics.ts'
import { isThisMachine } from '../net/networks.ts'
import { open } from './access/guard.ts'
import { isForwarded, namesThisMachine } from './access/headers.ts'
import type { App } from './app.ts'

type Options = Checks & { config: Pick<Config, 'isAddressed' | 'metricsToken'>; metrics: Metrics }

export function health(app: App, { config, metrics, ...checks }: Options): void {
  // A cache could report a stopped server as alive.
  const hidden = {
    schema: { hide: true },
    onRequest: (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      reply.header('cache-control', 'no-store')
      done()
    },
  } as const
  const checkReadiness = readiness(checks)
  let last: string | undefined
  app.get('/healthz', hidden, () => ({ status: 'alive', version: packageJson.version }))
  app.get('/readyz', hidden, async (request, reply) => {
    const why = await checkReadiness()
    if (why !== last) request.log.warn({ why }, why ? 'not ready' : 'ready again')
    last = why
    if (!why) return { status: 'ready' }
    const failing = checks.db.failing()
    const error = failing && new DatabaseUnavailable(failing).message
    return reply.code(503).send({ status: 'unavailable', why, error })
  })
  app.get('/metrics', { ...open('read'), ...hidden }, async (request, reply) => {
    if (!canReadMetrics(request, config))
      throw new HttpError(403, "Send METRICS_TOKEN or an admin's API key as a bearer token.")
    return reply.type(metrics.contentType).send(await metrics.text())
  })
  timeRequests(app, metrics)
}

/** Allows the metrics token, an admin's API key and, if the server has no public address, this machine itself. */
function canReadMetrics(request: FastifyRequest, { metricsToken, isAddressed }: Options['config']): boolean {
  const { headers, caller } = request
  const [, token = ''] = /^bearer +(.*)$/i.exec(headers.authorization ?? '') ?? []
  if (metricsToken !== undefined && isSameText(token, metricsToken)) return true
  if (caller?.via.kind === 'key' && !caller.mustSetUp && can(caller.user, 'Admin', 1)) return true
  return !isAddressed && isLocal(request)
}

/** Only the socket's own address counts here: no forwarded header makes a client local. */
const isLocal = (request: FastifyRequest) =>
  isThisMachine(request.socket.remoteAddress ?? '') && !isForwarded(request) && namesThisMachine(request)

function timeRequests(app: App, { httpSeconds }: Metrics) {
  const observe = (method: string, route: string, status: number, ms: Milliseconds) =>
    httpSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000)
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    observe(method, routeOptions.url ?? 'none', statusCode, elapsedTime)
    done()
  })
  app.fastPaths.onAnswer(observe)
}

const reasonLabels: Record<Unavailability, string> = {
  unreachable: 'database',
  refused: 'role',
  readOnly: 'read-only',
  locked: 'locked',
  full: 'disk',
  disk: 'disk',
  damaged: 'database',
}
const tryEvery: Milliseconds = seconds(1)
/** PostgreSQL may have room for a check but not for other writes, so no write may fail for this long. */
const quietFor: Milliseconds = seconds(5)
/** The length of the row that a check writes: a full disk may still have room for less. */
const roomToTry = 65_536
const triedRow = 'write check'

type Checks = {
  db: Db
  isMigrated: (db: Db) => Promise<boolean>
  health: Pick<Health, 'stalledActivity'>
  elapsed: () => Milliseconds
  /** The longest wait for the database. */
  timeout?: Milliseconds
}

/** Returns a check for why this instance should get no requests, in one word; undefined if it should get them. */
export function readiness(checks: Checks): () => Promise<string | undefined> {
  const { db, isMigrated, health, elapsed, timeout = seconds(2) } = checks
  let trying: Promise<unknown> | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  /** When a check first succeeded after the disk was full. */
  let passedAt: Milliseconds | undefined
  let wasDisk = false

  /** Only a write shows whether writing works again. */
  async function check() {
    if (trying || elapsed() - triedAt < tryEvery) return
    triedAt = elapsed()
    trying = db
      .check(() => tryToWrite(db))
      .catch(() => {})
      .finally(() => {
        trying = undefined
      })
    await withTimeout(timeout, trying)
  }

  return async () => {
    const failed = db.failing()
    if (failed) {
      wasDisk = reasonLabels[failed] === reasonLabels.full
      passedAt = undefined
      await check()
    }
    const failing = db.failing()
    if (failing) return reasonLabels[failing]
    if (wasDisk) {
      passedAt ??= elapsed()
      if (elapsed() - passedAt < quietFor) return reasonLabels.full
      wasDisk = false
    }
    const migrated = await withTimeout(timeout, isMigrated(db)).catch(() => undefined)
    if (migrated === undefined) return 'database'
    if (!migrated) return 'migrations'
    return health.stalledActivity()
  }
}

/** Writes a row that is too large for a nearly full disk, and deletes it. Throws DatabaseUnavailable. */
export async function tryToWrite({ q }: Db) {
  const row = { key: triedRow, value: randomBytes(roomToTry / 2).toString('hex') }
  await q
    .insertInto('setting')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
  await q.deleteFrom('setting').where('key', '=', triedRow).execute()
}
