import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Instant } from '../../src/shared/time.ts'
import { preciseNow } from '../stage/measure.ts'

/** A fake Discord whose webhooks accept every message immediately, until `hang` is called. */
export async function openDiscord() {
  let onMessage = (_at: Instant) => {}
  let hangs = false
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'GET') return answer(response, { type: 1 })
      onMessage(preciseNow())
      if (!hangs) answer(response, { id: '1' })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () =>
      new Promise<Instant>((resolve) => {
        onMessage = resolve
      }),
    hang() {
      hangs = true
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answer = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
