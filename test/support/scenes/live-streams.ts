import type { Caller } from '../../../src/platform/http/app.ts'
import { createEvents } from '../../../src/platform/live/live-events.ts'
import { type DeliverOnce, eventsRoute } from '../../../src/platform/live/live-streams.ts'
import { hours } from '../../../src/shared/time.ts'
import { portOf } from '../raw-http.ts'
import { openEventStream } from '../stream.ts'
import { callerWith, testServer } from './test-server.ts'

const people: Record<string, Caller> = {
  ada: callerWith({ Tools: 1 }),
  tim: { ...callerWith({ Tools: 2 }), user: { ...callerWith({ Tools: 2 }).user, id: 'u2' } },
}

/** A server with live events. The authorization header names the caller: ada or tim. */
export async function startEventServer(more: { heartbeat?: number; recheck?: number; deliverOnce?: DeliverOnce } = {}) {
  const signedOut = new Set<string>()
  const changed = new Map<string, Caller>()
  /** Callers for the next identification only. */
  const once = new Map<string, Caller>()
  const checks: string[] = []
  const server = await testServer({
    // Long, so that a stop doesn't cut off streams by its timeout.
    lastAnswers: hours(1),
    identify: ({ headers }) => {
      const who = String(headers.authorization)
      checks.push(who)
      const before = once.get(who)
      once.delete(who)
      return signedOut.has(who) ? undefined : (before ?? changed.get(who) ?? people[who])
    },
  })
  let skipped = 0
  const elapsed = () => performance.now() + skipped
  const events = createEvents({ ...server, elapsed, db: {} })
  eventsRoute(server.app, { events, elapsed, identify: server.identify, ...more })
  const url = `http://127.0.0.1:${await portOf(server.app)}`
  const skip = (time: number) => {
    skipped += time
  }
  /** How often this caller was identified. */
  const checksOf = (who: string) => checks.filter((one) => one === who).length
  return { app: server.app, events, url, signedOut, changed, once, skip, checksOf }
}

export const openEventStreamAs = (url: string, who: string, within?: number) =>
  openEventStream(url, { authorization: who }, within)
