import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usage } from './measure.ts'
import { serve } from './process.ts'

/** The least a receiver of webhooks can do: reads what is posted, forgets it and says thanks. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})

const api = {
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  usage,
  stop: () => server.closeAllConnections(),
}
export type BareHook = typeof api

serve(api)
