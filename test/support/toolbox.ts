import { randomBytes, randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { afterAll } from 'vitest'
import { type AppContext, createApp, createWorker } from '../../src/app.ts'
import { variables } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { createUser } from '../../src/people/store.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import { jobs } from '../../src/platform/jobs/jobs.ts'
import type { LiveEvent } from '../../src/platform/live/events.ts'
import type { Resolve } from '../../src/platform/net/names.ts'
import type { Outbound } from '../../src/platform/net/outbound.ts'
import { days } from '../../src/shared/time.ts'
import type { Auth } from '../../src/sign-in/auth.ts'
import { createAuth } from '../../src/sign-in/better-auth.ts'
import { type Dialect, freshDatabase } from './database/databases.ts'
import { requireDescribedFailures } from './described-failures.ts'
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
    createPerson: (name: string, tools: 0 | 1 | 2 = 1) => insertPerson(context, name, tools),
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

async function insertPerson({ db, now }: AppContext, name: string, tools: 0 | 1 | 2): Promise<Person> {
  const email = `${name}@example.com`
  const user = { name, email, emailVerified: true, roles: { Admin: 0, Tools: tools } } as const
  const id = await createUser(db, db.q, user, now())
  const token = randomUUID()
  const at = db.timestamp(now())
  const expires_at = db.timestamp(now() + days(400))
  await db.q
    .insertInto('sessions')
    .values({
      id: randomUUID(),
      token,
      user_id: id,
      expires_at,
      ip_address: null,
      user_agent: null,
      created_at: at,
      updated_at: at,
    })
    .execute()
  return { id, email, token }
}

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
  const call = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown) => {
    xsrf ??= (await app.inject({ url: '/api/v1/auth/session', headers: { cookie } })).cookies.find(
      (one) => one.name === 'XSRF-TOKEN',
    )?.value
    const answer = await app.inject({
      method,
      url,
      headers: { cookie: `${cookie}; XSRF-TOKEN=${xsrf}`, 'x-xsrf-token': xsrf ?? '' },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json(), headers: answer.headers }
  }
  return {
    get: (url: string) => call('GET', url),
    post: (url: string, body?: unknown) => call('POST', url, body),
    put: (url: string, body: unknown) => call('PUT', url, body),
    patch: (url: string, body: unknown) => call('PATCH', url, body),
    delete: (url: string) => call('DELETE', url),
  }
}
