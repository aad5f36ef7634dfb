import type { Server } from 'node:http'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { mayHaveBody } from './unread.ts'

/** How long a body may take after its headers. */
export const usualBodyTime: Milliseconds = seconds(30)

/** Ends requests whose body takes too long, as Node itself ends those whose headers do. Must listen after whoever answers. */
export function limitBodies(server: Server, most: Milliseconds): void {
  server.on('request', (request, response) => {
    if (!mayHaveBody(request) || request.complete) return
    const { socket } = request
    const giveUp = setTimeout(() => {
      // Once it is answered, the rest of the body is discarded by a limit of its own.
      if (request.complete || response.writableEnded) return
      const slow = Object.assign(new Error('The body took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', slow, socket)
    }, most).unref()
    const stop = () => clearTimeout(giveUp)
    request.once('end', stop)
    response.once('close', stop)
  })
}
