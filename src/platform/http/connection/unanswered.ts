import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Far more than any client asks for before it has read an answer. */
const most = 100

/** Counts the requests of each connection that have no answer yet: all of them are kept in memory. */
export function unanswered(server: Server) {
  const connections = new Map<Socket, { unanswered: number }>()
  server.on('connection', (socket) => {
    connections.set(socket, { unanswered: 0 })
    // Answers that wait behind another are never told that their connection has gone.
    socket.once('close', () => connections.delete(socket))
  })
  return {
    /** Counts a request until its answer has gone. False for one too many: then nothing of this connection is answered. */
    tryAcquire({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const connection = connections.get(socket) ?? { unanswered: 0 }
      if (connection.unanswered >= most) socket.destroy()
      if (socket.destroyed || socket.writableEnded) return false
      connection.unanswered += 1
      response.on('close', () => {
        connection.unanswered -= 1
      })
      return true
    },
    areNone: () => [...connections.values()].every(({ unanswered }) => unanswered === 0),
  }
}
export type Unanswered = ReturnType<typeof unanswered>
