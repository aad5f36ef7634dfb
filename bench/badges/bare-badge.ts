import { createServer } from 'node:http'
import { listen } from '../stage/listen.ts'
import { usage } from '../stage/measure.ts'
import { serve } from '../stage/process.ts'

/** The least a server can do: the same bytes to everybody, from memory, counting nothing. */
let answer: { headers: Record<string, string>; body: string } = { headers: {}, body: '' }
const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers)
  response.end(answer.body)
})

const api = {
  listen: () => listen(server),
  answer: (given: typeof answer) => {
    answer = given
  },
  usage,
  stop: () => server.closeAllConnections(),
}
export type BareBadge = typeof api

serve(api)
