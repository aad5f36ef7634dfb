import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** How much of a connection to read after its response: more than any client sends by mistake. */
const bounds = { bytes: 16 * 1024 * 1024, timeout: seconds(10) }
const lookEvery: Milliseconds = 50

// A connection closed with unread bytes is reset, and its client never receives the response.
/** Reads and discards the rest of a body after its response. Must be added after the listener that answers. */
export function discardUnread(server: Server, { bytes, timeout }: { bytes: number; timeout: Milliseconds } = bounds) {
  /** The latest request of each connection that may have a body. */
  const latest = new WeakMap<Socket, IncomingMessage>()
  server.on('connection', (socket) => {
    const close = socket.destroySoon.bind(socket)
    // Node calls this once the last response is written. With an unread body, end the response but keep reading.
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
    const giveUp = setTimeout(() => socket.destroy(), timeout)
    // Node drops the rest of a body without an event, so only the socket's count shows how much has arrived.
    const checkTimer = setInterval(() => socket.bytesRead > most && socket.destroy(), lookEvery)
    const done = () => {
      clearTimeout(giveUp)
      clearInterval(checkTimer)
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
export const defaultBodyTimeout: Milliseconds = seconds(30)
/** Maximum bytes of all large bodies arriving at the same time. Imports, which are larger, have a separate limit. */
const mostComing = 32 * 1024 * 1024
const large = { least: 16 * 1024, most: 256 * 1024 }

/** Aborts slow bodies, and the oldest large ones if too many arrive. Must be added after the listener that answers. */
export function limitBodies(server: Server, most: Milliseconds): void {
  /** Large bodies that are still arriving, oldest first. */
  const coming = new Map<IncomingMessage, { size: number; giveUp: () => void }>()
  let arrivingBytes = 0
  server.on('request', (request, response) => {
    if (!mayHaveBody(request) || request.complete) return
    const { socket, headers } = request
    const size = Number(headers['content-length'] ?? large.most)
    const stop = () => {
      clearTimeout(timer)
      if (coming.delete(request)) arrivingBytes -= size
    }
    const giveUp = () => {
      stop()
      // After the response, `discardUnread` limits the rest of the body.
      if (request.complete || response.writableEnded) return
      const slow = Object.assign(new Error('The body took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', slow, socket)
    }
    const timer = setTimeout(giveUp, most).unref()
    request.once('end', stop)
    response.once('close', stop)
    if (size <= large.least || size > large.most) return
    coming.set(request, { size, giveUp })
    arrivingBytes += size
    for (const one of coming.values()) {
      if (arrivingBytes <= mostComing) break
      one.giveUp()
    }
  })
}
