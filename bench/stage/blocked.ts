import { createServer } from 'node:http'
import type { Milliseconds } from '../../src/shared/time.ts'
import { serve } from './process.ts'

/** A web server whose event loop is blocked again and again, each time for as much work as an undisturbed core does in 100 ms. */
const blockedFor: Milliseconds = 100
const pause: Milliseconds = 100
const text = JSON.stringify(Array.from({ length: 2_000 }, (_, index) => ({ index, name: `entry ${index}` })))

let fastest = Number.POSITIVE_INFINITY
function block() {
  // The fastest round so far tells what the machine does while nobody disturbs it.
  for (let done = 0; done < blockedFor; done += fastest) {
    const began = performance.now()
    JSON.stringify(JSON.parse(text))
    fastest = Math.min(fastest, performance.now() - began)
  }
  setTimeout(block, pause)
}

const server = createServer((_request, response) => response.end('ok'))
const api = {
  port: () => Object(server.address()).port as number,
}
export type Blocked = typeof api

server.listen(0, '127.0.0.1', () => {
  serve(api)
  block()
})
