import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** How much of one connection is still read after its answer: more than anybody sends by mistake. */
const bounds = { bytes: 16 * 1024 * 1024, patience: seconds(10) }
const lookEvery: Milliseconds = 50

/**
 * Reads and discards the rest of a body whose request is answered already, before the connection is closed or reused: a
 * connection that is closed with unread bytes is reset, and the client never sees the answer. Must listen after the listener that
 * answers.
 */
export function discardUnread(server: Server, { bytes, patience }: { bytes: number; patience: Milliseconds } = bounds) {
  /** The latest request of each connection that may have a body. */
  const latest = new WeakMap<Socket, IncomingMessage>()
  server.on('connection', (socket) => {
    const close = socket.destroySoon.bind(socket)
    // Node calls this once the last answer is written. Ends the answer, but goes on reading.
    socket.destroySoon = () => (latest.get(socket)?.complete === false ? void socket.end() : close())
  })
  server.on('request', (request, response) => {
    if (!mayHaveBody(request)) return
    latest.set(request.socket, request)
    response.once('finish', () => {
      if (!request.complete) discard(request)
    })
  })

  function discard(request: IncomingMessage) {
    const { socket } = request
    const most = socket.bytesRead + bytes
    const giveUp = setTimeout(() => socket.destroy(), patience)
    // Node drops the rest of a body without an event, so only the socket knows how much there was.
    const look = setInterval(() => socket.bytesRead > most && socket.destroy(), lookEvery)
    const done = () => {
      clearTimeout(giveUp)
      clearInterval(look)
    }
    socket.once('close', done)
    request.once('end', () => {
      done()
      socket.off('close', done)
      if (socket.writableEnded) socket.destroySoon()
    })
    request.resume()
  }
}

export const mayHaveBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** How long a body may take after its headers. */
export const usualBodyTime: Milliseconds = seconds(30)
/** What all large bodies that come at once may take together; those of imports, which are larger, are bounded elsewhere. */
const mostComing = 32 * 1024 * 1024
const large = { least: 16 * 1024, most: 256 * 1024 }

/**
 * Ends requests whose body takes too long, as Node itself ends those whose headers do; of too many large ones at once, those
 * that have taken longest. Must listen after the listener that answers.
 */
export function limitBodies(server: Server, most: Milliseconds): void {
  /** By their size, in the order in which they began. */
  const coming = new Map<IncomingMessage, { size: number; giveUp: () => void }>()
  let held = 0
  server.on('request', (request, response) => {
    if (!mayHaveBody(request) || request.complete) return
    const { socket, headers } = request
    const size = Number(headers['content-length'] ?? large.most)
    const stop = () => {
      clearTimeout(timer)
      if (coming.delete(request)) held -= size
    }
    const giveUp = () => {
      stop()
      // Once it is answered, the rest of the body is discarded by a limit of its own.
      if (request.complete || response.writableEnded) return
      const slow = Object.assign(new Error('The body took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', slow, socket)
    }
    const timer = setTimeout(giveUp, most).unref()
    request.once('end', stop)
    response.once('close', stop)
    if (size <= large.least || size > large.most) return
    coming.set(request, { size, giveUp })
    held += size
    for (const one of coming.values()) {
      if (held <= mostComing) break
      one.giveUp()
    }
  })
}
