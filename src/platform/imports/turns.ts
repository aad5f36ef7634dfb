import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { callerOf } from '../http/access/guard.ts'
import { rateLimiter } from '../net/visits/visit-limits.ts'

/** Files that are worked on at once. */
const mostAtWork = 4
/** Files that come at once, all of them in memory. */
const mostUploads = 6
/** How long an upload keeps its place if others wait for one. */
const patience: Milliseconds = seconds(5)

/** Imports of a user within a minute; a file costs time also if all of it is refused. */
const mostPerMinute = 20

export const importIsRunning = 'Another import is still running. Try again in a few seconds.'

type Turn = { userId: string; since: Milliseconds; isWorking: boolean; giveWay: () => void }

/**
 * Lets each user import one file at a time. `onRequest` of the route takes the user's turn before the body is read, and its
 * handler works `inTurn`. Slow uploads keep nobody out: the oldest gives way.
 */
export function importTurns(elapsed: () => Milliseconds) {
  const turns = new Set<Turn>()
  const take = rateLimiter(elapsed, { most: mostPerMinute, per: minutes(1), refusal: 'Too many imports.' })
  const taken = new WeakMap<FastifyRequest, Turn>()
  const busy = () => new HttpError(429, importIsRunning, { retryAfter: patience / seconds(1) })

  function makeRoom() {
    const uploads = [...turns].filter(({ isWorking }) => !isWorking)
    if (uploads.length < mostUploads) return
    const [oldest] = uploads
    if (!oldest || elapsed() - oldest.since < patience) throw busy()
    turns.delete(oldest)
    oldest.giveWay()
  }

  return {
    async onRequest(request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
      const { id } = callerOf(request).user
      if ([...turns].some(({ userId }) => userId === id)) throw busy()
      makeRoom()
      take(id)
      const turn = { userId: id, since: elapsed(), isWorking: false, giveWay: () => request.raw.socket.destroy() }
      turns.add(turn)
      taken.set(request, turn)
      // Whoever hangs up in between still has what they began at work.
      raw.once('close', () => turn.isWorking || turns.delete(turn))
    },
    /** Does the work, and then ends the request's turn. Throws a 429 while too many others are at work. */
    async inTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const turn = taken.get(request)
      if (!turn || [...turns].filter(({ isWorking }) => isWorking).length >= mostAtWork) throw busy()
      turn.isWorking = true
      try {
        return await work()
      } finally {
        turns.delete(turn)
      }
    },
  }
}
