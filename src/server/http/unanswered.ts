import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Far more than any client asks for before it has read an answer. */
const most = 100

/** Counts the requests of each connection that have no answer yet: all of them are kept in memory. */
export function unanswered(server: Server) {
  const counts = new Map<Socket, number>()
  server.on('connection', (socket) => {
    counts.set(socket, 0)
    // Answers that wait behind another are never told that their connection has gone.
    socket.once('close', () => counts.delete(socket))
  })
  const change = (socket: Socket, by: number) => {
    const count = counts.get(socket)
    if (count !== undefined) counts.set(socket, count + by)
  }
  return {
    /** Counts a request until its answer has gone. False for one too many: then nothing of this connection is answered. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      if ((counts.get(socket) ?? 0) >= most) socket.destroy()
      if (socket.destroyed) return false
      change(socket, 1)
      response.once('close', () => change(socket, -1))
      return true
    },
    areNone: () => [...counts.values()].every((count) => count === 0),
  }
}
export type Unanswered = ReturnType<typeof unanswered>
