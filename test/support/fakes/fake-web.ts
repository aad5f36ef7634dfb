import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { listen } from '../listen.ts'

export type Visit = { method: string; path: string; headers: Record<string, string>; body: string }

/** A path's response. `hang` never responds, `reset` resets the connection, `close` ends it without a response. */
export type Reply =
  | 'hang'
  | 'reset'
  | 'close'
  | 'garbage'
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array; delay?: number }
  | ((visit: Visit, response: ServerResponse) => void | Promise<void>)

export type FakeWeb = {
  /** `http://127.0.0.1:PORT`, or https with a certificate. */
  origin: string
  port: number
  visits: Visit[]
  connections(): number
  /** Sets a path's next replies; the last one repeats. Ignores the query; `*` as last segment matches any. */
  on(path: string, ...replies: Reply[]): void
  close(): Promise<void>
}

/** A web server on a loopback address that replies by script, or by `byPath` for paths without one. */
export async function fakeWeb(options: { host?: string; port?: number; tls?: ServerOptions } = {}): Promise<FakeWeb> {
  const { host = '127.0.0.1', port: wantedPort = 0, tls } = options
  const scripts = new Map<string, Reply[]>()
  const visits: Visit[] = []

  const listener: RequestListener = (request, response) => {
    response.on('error', () => undefined)
    visitOf(request).then(
      async (visit) => {
        visits.push(visit)
        const path = new URL(visit.path, 'http://fake').pathname
        const script = scripts.get(path) ?? scripts.get(path.replace(/[^/]*$/, '*'))
        await give(scripted(script) ?? byPath(visit), visit, response)
      },
      // The client disconnected before the request was complete.
      () => response.destroy(),
    )
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('tlsClientError', () => undefined)
  const { port, sockets, close } = await listen(server, wantedPort, host)

  return {
    origin: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    visits,
    connections: () => sockets.size,
    on: (path, ...replies) => void scripts.set(path, replies),
    close,
  }
}

/** A server that rejects each TLS handshake with this alert. */
export async function startTlsAlertServer(alert: number) {
  let visits = 0
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      visits += 1
      socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))
    })
  })
  const { port, close } = await listen(server)
  return { origin: `https://127.0.0.1:${port}`, visits: () => visits, close }
}

/** Replies of paths without a script: `/status/503`, `/delay/200`, `/redirect/3`, `/to?url=…&status=307` and so on. */
function byPath(visit: Visit): Reply {
  const url = new URL(visit.path, 'http://fake')
  const [, name = '', detail = ''] = url.pathname.split('/')
  const query = url.searchParams
  const replies: Record<string, () => Reply> = {
    '': () => ({ body: 'Hello.' }),
    status: () => ({ status: Number(detail), body: `This is ${detail}.` }),
    delay: () => ({ delay: Number(detail), body: 'Late.' }),
    redirect: () =>
      detail === '0' ? { body: 'Arrived.' } : { status: 302, headers: { location: `/redirect/${Number(detail) - 1}` } },
    loop: () => ({ status: 302, headers: { location: '/loop' } }),
    to: () => ({ status: Number(query.get('status') ?? 302), headers: { location: query.get('url') ?? '/' } }),
    echo: () => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(visit) }),
    bytes: () => ({ body: 'x'.repeat(Number(detail)) }),
    packed: () => ({ headers: { 'content-encoding': detail }, body: packed(detail, 'Hello, packed.') }),
    'gzip-bomb': () => ({ headers: { 'content-encoding': 'gzip' }, body: bomb() }),
    hang: () => 'hang',
    reset: () => 'reset',
    close: () => 'close',
    garbage: () => 'garbage',
    endless: () => endlessBody,
    'endless-headers': () => endlessHeaders,
    'slow-headers': () => slowHeaders,
    'endless-hints': () => endlessHints,
    switch: () => switchProtocols,
    half: () => halfBody,
  }
  return replies[name]?.() ?? { status: 404, body: 'Nothing here.' }
}

const scripted = (replies: Reply[] = []): Reply | undefined => (replies.length > 1 ? replies.shift() : replies[0])

async function give(reply: Reply, visit: Visit, response: ServerResponse) {
  if (typeof reply === 'function') return reply(visit, response)
  const socket = response.socket
  if (reply === 'hang') return
  if (reply === 'reset') return void socket?.resetAndDestroy()
  if (reply === 'close') return void socket?.destroy()
  if (reply === 'garbage') return void socket?.end('220 mail.example.com ESMTP\r\n')
  if (reply.delay) await wait(reply.delay)
  response.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? '')
}

async function visitOf(request: IncomingMessage): Promise<Visit> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { method: request.method ?? '', path: request.url ?? '', headers, body: await text(request) }
}

type Trickle = (visit: Visit, response: ServerResponse) => Promise<void>

const write =
  (head: string, chunk: string, pause: number): Trickle =>
  async (_, { socket }) => {
    socket?.write(head)
    while (socket?.writable) {
      if (!socket.write(chunk)) await Promise.race([new Promise((go) => socket.once('drain', go)), wait(50)])
      await wait(pause)
    }
  }

const endlessBody = write('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536), 0)
const endlessHeaders = write('HTTP/1.1 200 OK\r\n', `x-more: ${'y'.repeat(1_000)}\r\n`, 0)
const slowHeaders = write('HTTP/1.1 200 OK\r\n', 'x-more: y\r\n', 40)
const endlessHints = write('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 0)
const switchProtocols: Trickle = async (_, { socket }) =>
  void socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chat\r\n\r\n')
const halfBody: Trickle = async (_, { socket }) =>
  void socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')

function packed(encoding: string, text: string): Uint8Array {
  if (encoding === 'br') return brotliCompressSync(text)
  if (encoding === 'deflate') return deflateSync(text)
  return encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)
}
let madeBomb: Uint8Array | undefined
/** 100 MB of zeros, compressed to 100 kB. */
function bomb(): Uint8Array {
  madeBomb ??= gzipSync(Buffer.alloc(100_000_000))
  return madeBomb
}
