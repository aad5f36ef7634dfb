import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import type { App } from '../app.ts'

/** Far more requests than any client sends before it reads a response. */
const mostUnanswered = 100
/** The time for responses that are in progress when the server stops. */
export const defaultDrainTimeout: Milliseconds = seconds(3)

/** Counts the unanswered requests of each connection, since all of them are kept in memory. */
export function unanswered(server: Server) {
  /** The responses of each connection that were unsent at its last request, in the order of sending. */
  const connections = new Map<Socket, ServerResponse[]>()
  server.on('connection', (socket) => {
    connections.set(socket, [])
    // Responses that wait behind another get no event when their connection closes.
    socket.once('close', () => connections.delete(socket))
  })
  return {
    /** Counts a request until its response is sent. If it is one too many, closes the connection and returns false. */
    tryAcquire({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const unsent = connections.get(socket) ?? []
      while (unsent[0]?.writableFinished) unsent.shift()
      if (unsent.length >= mostUnanswered) socket.destroy()
      if (socket.destroyed || socket.writableEnded) return false
      unsent.push(response)
      return true
    },
    isIdle: () => [...connections.values()].every((unsent) => unsent.every((response) => response.writableFinished)),
  }
}
export type Unanswered = ReturnType<typeof unanswered>

/** Makes a stop wait for responses in progress, but not for connections that are idle, just opened or never read. */
export function closeGracefully(app: App, answers: Unanswered, lastAnswers: Milliseconds): void {
  let closing = false
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    closing = true
    const giveUp = setTimeout(() => app.server.closeAllConnections(), lastAnswers).unref()
    const check = setInterval(() => answers.isIdle() && app.server.closeAllConnections(), 50).unref()
    app.server.once('close', () => {
      clearTimeout(giveUp)
      clearInterval(check)
    })
    done()
  })
}
