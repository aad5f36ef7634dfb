import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { dayOf, days, hours, type Instant, type Milliseconds, minutes, seconds } from '../../../src/shared/time.ts'
import { listen } from '../listen.ts'

/** Hosts that put apps to sleep, as they behaved in November 2026. They use the test's clock. */
export type SleeperRequest = { method: string; path: string; headers: Record<string, string | undefined>; body: string }
export type Answer = { status: number; headers?: Record<string, string>; body?: string }

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** An app on Streamlit Community Cloud: only visitor sessions keep it awake, and only its button wakes it. */
export function streamlitApp(now: () => Instant, { wakesIn = minutes(1) }: { wakesIn?: Milliseconds } = {}) {
  const token = 'csrf-of-this-app'
  const cookie = `_streamlit_csrf=signed-${token}`
  let visitedAt = now()
  let resumedAt: Instant | undefined
  const state = (): 'awake' | 'waking' | 'asleep' => {
    if (resumedAt !== undefined && now() - resumedAt < wakesIn) return 'waking'
    if (resumedAt !== undefined) {
      visitedAt = resumedAt + wakesIn
      resumedAt = undefined
    }
    return now() - visitedAt >= hours(12) ? 'asleep' : 'awake'
  }
  return {
    state,
    sleep() {
      visitedAt = now() - hours(12)
      resumedAt = undefined
    },
    answer({ method, path, headers }: SleeperRequest): Answer {
      const name = path.split('?')[0]
      if (method === 'GET' && name === '/api/v2/app/status')
        return json(
          200,
          { status: { awake: 5, waking: 3, asleep: 12 }[state()] },
          { 'x-csrf-token': token, 'set-cookie': `${cookie}; Path=/; Secure; HttpOnly` },
        )
      if (method === 'POST' && name === '/api/v2/app/resume') {
        if (headers['x-csrf-token'] !== token || headers.cookie !== cookie) return { status: 403 }
        if (state() === 'asleep') resumedAt = now()
        return { status: 204 }
      }
      if (name === '/~/+/_stcore/health') return state() === 'awake' ? { status: 200, body: 'ok' } : { status: 400 }
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<div id="root"></div>' }
    },
    /** Opens a visitor's WebSocket; undefined if it is rejected. A session of at least 15 s counts as a visit. */
    session(path: string, protocol: string | undefined): { end(): void } | undefined {
      if (state() !== 'awake' || path !== '/~/+/_stcore/stream' || protocol !== 'streamlit') return undefined
      const since = now()
      return {
        end() {
          if (now() - since >= seconds(15) && state() === 'awake') visitedAt = now()
        },
      }
    },
  }
}

const activeDay = 3

/** A free Supabase project with a table and a function, paused after 7 days with too few database queries. */
export function supabaseProject(
  now: () => Instant,
  { key = 'sb_publishable_fake', table = 'todos', rpc = 'touch' } = {},
) {
  let activeAt = now()
  let queries = { day: '', seen: new Set<string>() }
  let pausedAt: Instant | undefined
  const isPaused = () => {
    if (pausedAt === undefined && now() - activeAt >= days(7)) pausedAt = activeAt + days(7)
    return pausedAt !== undefined
  }
  const count = (query: string) => {
    const day = dayOf(now())
    if (queries.day !== day) queries = { day, seen: new Set() }
    queries.seen.add(query)
    if (queries.seen.size >= activeDay) activeAt = now()
  }
  return {
    state: () => (isPaused() ? 'paused' : 'awake'),
    pause: () => {
      pausedAt = now()
    },
    restore() {
      pausedAt = undefined
      activeAt = now()
    },
    answer({ method, path, headers }: SleeperRequest): Answer {
      if (isPaused()) return { status: 540, body: 'Project paused' }
      if (headers.apikey !== key) return json(401, { message: 'Invalid API key' })
      const name = decodeURIComponent(path.split('?')[0] ?? '')
      const isFound = name === `/rest/v1/${table}` || (method === 'POST' && name === `/rest/v1/rpc/${rpc}`)
      if (!isFound) return json(404, { code: 'PGRST205', message: 'Could not find it in the schema cache' })
      count(`${method} ${path}`)
      return json(200, [{ id: 1 }])
    },
  }
}

type Sleeper = {
  answer(request: SleeperRequest): Answer
  session?(path: string, protocol: string | undefined): { end(): void } | undefined
}

/** Serves such an app. Calls `onRequest` and `opened` for each request and session; `onSession` may break a session. */
export async function serveSleeper(
  app: Sleeper,
  hooks: { onRequest?: () => unknown; opened?: () => void; onSession?: (socket: WebSocket) => void } = {},
) {
  const requests: SleeperRequest[] = []
  const sessions = { opened: 0, closed: 0 }
  const read = async (request: IncomingMessage): Promise<SleeperRequest> => ({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers as SleeperRequest['headers'],
    body: await text(request),
  })
  const server = createServer(async (request, response) => {
    const one = await read(request)
    requests.push(one)
    await hooks.onRequest?.()
    const { status, headers, body } = app.answer(one)
    response.writeHead(status, headers).end(body)
  })
  const upgrades = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const session = app.session?.(request.url ?? '', request.headers['sec-websocket-protocol'])
    if (!session) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    upgrades.handleUpgrade(request, socket, head, (held) => {
      sessions.opened += 1
      held.on('error', () => undefined)
      held.on('close', () => {
        sessions.closed += 1
        session.end()
      })
      hooks.opened?.()
      hooks.onSession?.(held)
    })
  })
  const { port, close } = await listen(server)
  return {
    port,
    requests,
    sessions,
    close,
  }
}

/** Pseudorandom numbers from 0 to 1, the same in each run. */
export function lottery(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
