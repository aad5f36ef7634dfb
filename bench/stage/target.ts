import { createServer } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import type { Instant, Milliseconds } from '../../src/shared/time.ts'
import { indexOf } from './hosts.ts'
import { preciseNow } from './measure.ts'
import { serve } from './process.ts'

/** A web server on every loopback address that records its visits, and the most concurrent visits to one address. */
type Seen = { index: number; at: Instant }
let seen: Seen[] = []
let answerAfter: Milliseconds = 0
let mostAtOnce = 0
const open = new Map<number, number>()

const server = createServer(async (request, response) => {
  const index = indexOf(request.headers.host ?? '')
  const atOnce = (open.get(index) ?? 0) + 1
  seen.push({ index, at: preciseNow() })
  open.set(index, atOnce)
  mostAtOnce = Math.max(mostAtOnce, atOnce)
  if (answerAfter > 0) await after(answerAfter)
  open.set(index, (open.get(index) ?? 1) - 1)
  response.end('ok')
})

const api = {
  port: () => {
    const address = server.address()
    return address && typeof address === 'object' ? address.port : 0
  },
  answerAfter: (ms: Milliseconds) => {
    answerAfter = ms
  },
  take: () => {
    const taken = { seen, mostAtOnce }
    seen = []
    mostAtOnce = 0
    return taken
  },
}
export type Target = typeof api

server.listen(0, '0.0.0.0', 2_048, () => serve(api))
