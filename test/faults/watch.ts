import { setTimeout as pause } from 'node:timers/promises'
import { type Milliseconds, seconds } from '../../src/shared/time.ts'
import { ask } from './load.ts'

type Health = { at: Milliseconds; ready: boolean; why: string }

const every: Milliseconds = 250
/** How long everything must be fine to count as recovered. */
const quietPeriod: Milliseconds = seconds(3)

/** Continuously probes the servers; `late` returns overdue work. */
export function startWatch(servers: () => readonly string[], key: string, late: () => readonly string[]) {
  const headers = { authorization: `Bearer ${key}` }
  const troubles = new Map<string, Milliseconds>()
  const readiness: Health[] = []
  let slowest: Milliseconds = 0
  let going = true

  const loop = async (step: () => Promise<void>) => {
    while (going) {
      await step()
      await pause(every)
    }
  }
  const isOk = async (what: string, path: string, patience: Milliseconds) => {
    await Promise.all(
      servers().map(async (server) => {
        const { status } = await ask(server + path, { headers }, patience)
        if (status !== 200 && servers().includes(server)) troubles.set(what, performance.now())
      }),
    )
  }
  const loops = [
    loop(() => isOk('badge', '/api/v1/analyticsbadge/probe', seconds(2))),
    loop(() => isOk('list', '/api/v1/keepalive/list', seconds(2))),
    loop(async () => {
      const [server] = servers()
      if (!server) return
      const { status, body } = await ask(`${server}/readyz`, {}, seconds(4))
      if (servers()[0] !== server) return
      readiness.push({ at: performance.now(), ready: status === 200, why: String(Object(body).why ?? status) })
      if (status !== 200) troubles.set('readyz', performance.now())
    }),
    loop(async () => {
      const [server] = servers()
      if (!server) return
      const sentAt = performance.now()
      const { status } = await ask(`${server}/healthz`, {}, seconds(5))
      const took = status === 200 ? performance.now() - sentAt : seconds(5)
      if (servers()[0] === server) slowest = Math.max(slowest, took)
    }),
    loop(async () => {
      for (const what of late()) troubles.set(what, performance.now())
    }),
  ]

  return {
    /** Seconds from that moment to the recovery; infinity if it takes more than 1.5 times `limit` plus 5 s. */
    async recovered(since: Milliseconds, limit: number, atLeast = 6): Promise<{ seconds: number; still: string }> {
      const last = () => Math.max(since, ...troubles.values())
      for (;;) {
        await pause(every)
        const now = performance.now()
        if (now - since >= seconds(atLeast) && now - last() >= quietPeriod)
          return { seconds: (last() - since) / 1_000, still: '' }
        if (now - since > seconds(limit) * 1.5 + seconds(5)) {
          const still = [...troubles].filter(([, at]) => now - at < quietPeriod).map(([what]) => what)
          return { seconds: Number.POSITIVE_INFINITY, still: still.join(', ') }
        }
      }
    },
    readiness: (since: Milliseconds) => readiness.filter(({ at }) => at >= since),
    /** The longest response time of /healthz on the first server. */
    slowestHealthz: () => slowest,
    async stop() {
      going = false
      await Promise.all(loops)
    },
  }
}
