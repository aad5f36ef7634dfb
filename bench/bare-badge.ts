import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from './process.ts'

/** The least a server can do: the same bytes to everybody, from memory, counting nothing. */
let answer: { headers: Record<string, string>; body: string } = { headers: {}, body: '' }
const server = createServer((_request, response) => {
  response.writeHead(200, answer.headers)
  response.end(answer.body)
})

const api = {
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  answer: (given: typeof answer) => {
    answer = given
  },
  stop: () => server.closeAllConnections(),
}
export type BareBadge = typeof api

serve(api)
