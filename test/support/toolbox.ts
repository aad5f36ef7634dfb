import { randomBytes, randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { afterAll } from 'vitest'
import { type AppContext, createApp, createWorker } from '../../src/app.ts'
import { variables } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import { failuresOf } from '../../src/platform/http/description/describe.ts'
import { jobs } from '../../src/platform/jobs/jobs.ts'
import type { LiveEvent } from '../../src/platform/live/events.ts'
import type { Resolve } from '../../src/platform/net/names.ts'
import type { Outbound } from '../../src/platform/net/outbound.ts'
import { days } from '../../src/shared/time.ts'
import type { Auth } from '../../src/sign-in/auth.ts'
import { createAuth } from '../../src/sign-in/better-auth.ts'
import { type Dialect, freshDatabase } from './database/databases.ts'
import { callsOf, createPerson, startSession } from './people.ts'
import { temporaryFolder } from './temporary-folder.ts'

const start = Date.UTC(2026, 0, 5, 12)

const onlineProbes: Pick<Outbound, 'request'> = {
  request: async (url) => ({ answered: true, status: 204, headers: {}, body: new Uint8Array(), url, duration: 1 }),
}
type Timing = { timeout: number }
/** Replaceable parts. `probes` checks whether the server is online: `real` uses the network, the default succeeds. */
export type Overrides = {
  log?: Logger
  probes?: Pick<Outbound, 'request'> | 'real'
  database?: Awaited<ReturnType<typeof freshDatabase>>
  resolve?: Resolve
}

/** The whole server on a new database, with a clock that tests advance and a network that may reach loopback. */
export async function toolbox(
  dialect: Dialect,
  env: Record<string, string> = {},
  timing?: Timing,
  { log = pino({ level: 'silent' }), probes = onlineProbes, database, resolve }: Overrides = {},
) {
  const { db, url, drop } = database ?? (await freshDatabase(dialect))
  const config = readConfig(
    variables,
    {
      APP_SECRET: randomBytes(24).toString('hex'),
      ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      LOG_LEVEL: 'silent',
      ...(url ? { DATABASE_URL: url } : {}),
      ...env,
    },
    temporaryFolder(),
  )
  let at = start
  let elapsedMs = 0
  const now = () => at
  const elapsed = () => elapsedMs
  const outside = {
    db,
    log,
    clock: { now, elapsed },
    ...(probes === 'real' ? {} : { probes }),
    ...(resolve && { resolve }),
  }
  const context = createContext(config, outside)
  const auth = await createAuth(context, timing)
  const app = await createApp(context, auth)
  requireDescribedFailures(app)
  const work = createWorker(context)
  return {
    app,
    context,
    auth,
    db,
    work,
    /** The worker of a second instance on the same database, by default with the same clock. */
    secondWorker: (more: Partial<AppContext> = {}) =>
      createWorker({ ...context, jobs: jobs(db, randomUUID(), more.now ?? now), ...more }),
    now,
    pass: (ms: number) => {
      at += ms
      elapsedMs += ms
    },
    /** Steps the wall clock, while no time elapses. */
    stepClock: (ms: number) => {
      at += ms
    },
    /** A signed-in user with this level of Tools. */
    async createPerson(name: string, tools: 0 | 1 | 2 = 1): Promise<Person> {
      const { id, email } = await createPerson(context, { name, roles: { Tools: tools } })
      const { token } = await startSession(context, auth, { id }, days(400))
      return { id, email, token }
    },
    as: (person: Person) => apiClient(app, auth, person),
    async close() {
      await app.close()
      await context.events.close()
      await context.outbound.close()
      await drop()
    },
  }
}
type Person = { id: string; email: string; token: string }

/** Records published events until `stop`; not `missed`, which PostgreSQL's connection for events publishes once it is open. */
export function recordEvents({ events }: Pick<AppContext, 'events'>) {
  const recorded: LiveEvent[] = []
  const stop = events.subscribe((event) => {
    if (event.type !== 'missed') recorded.push(event)
  })
  return { recorded, stop }
}

export type Toolbox = Awaited<ReturnType<typeof toolbox>>

/** Closes a resource shared by the tests of a file or block after the last of them. */
export function closeAfterwards<Opened extends { close(): Promise<unknown> }>(opened: Opened): Opened {
  afterAll(() => opened.close())
  return opened
}

function apiClient(app: App, auth: Auth, person: Person) {
  const cookie = `${auth.cookie.name}=${encodeURIComponent(auth.cookie.sign(person.token))}`
  let xsrf: string | undefined
  return callsOf(async (method, url, body) => {
    xsrf ??= (await app.inject({ url: '/api/v1/auth/session', headers: { cookie } })).cookies.find(
      (one) => one.name === 'XSRF-TOKEN',
    )?.value
    const answer = await app.inject({
      method,
      url,
      headers: { cookie: `${cookie}; XSRF-TOKEN=${xsrf}`, 'x-xsrf-token': xsrf ?? '' },
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json(), headers: answer.headers }
  })
}

/** Statuses that any call may return: the request was too slow, too large or of the wrong type. */
const commonStatuses = new Set([408, 413, 414, 415, 431])

/** Fails the current test when a call returns a 4xx status that the API description doesn't list. */
function requireDescribedFailures(app: App): void {
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode }, done) => {
    const { schema, config, url } = routeOptions
    const isDescribed = schema !== undefined && !schema.hide
    if (isDescribed && statusCode >= 400 && statusCode < 500 && !commonStatuses.has(statusCode))
      if (
        !failuresOf({ method, config, schema }).includes(statusCode) &&
        !describedStatuses(schema).includes(String(statusCode))
      )
        console.error(`${method} ${url} answered ${statusCode}, which its description doesn't list.`)
    done()
  })
}

const describedStatuses = ({ response }: { response?: unknown }) => Object.keys(Object(response))
