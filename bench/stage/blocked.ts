import { createServer } from 'node:http'
import type { Milliseconds } from '../../src/shared/time.ts'
import { serve } from './process.ts'

/** A web server whose event loop is blocked repeatedly, each time for the work of 100 ms on an idle core. */
const blockedFor: Milliseconds = 100
const pause: Milliseconds = 100
const text = JSON.stringify(Array.from({ length: 2_000 }, (_, index) => ({ index, name: `entry ${index}` })))

let fastest = Number.POSITIVE_INFINITY
function block() {
  // The fastest round so far approximates the machine's speed without other load.
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
