import { createServer } from 'node:http'
import { listen } from '../stage/listen.ts'
import { usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'

/** The minimal webhook receiver: reads the body, discards it and answers 204. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})

const api = {
  listen: () => listen(server),
  usage,
  stop: () => server.closeAllConnections(),
}
export type BareHook = typeof api

serve(api)
