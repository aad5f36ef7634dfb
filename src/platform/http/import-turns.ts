import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../shared/http-error.ts'
import { callerOf } from './access/guard.ts'

/** So many files are in memory at once. */
const mostAtOnce = 4

export const importIsRunning = 'Another import is still running. Try again in a few seconds.'

type Turn = { end: () => void; isWorking: boolean }

/** Lets each user import one file at a time: `onRequest` of the route takes the turn before the body is read, and its handler works `inTurn`. */
export function importTurns() {
  const takeTurn = turns()
  const taken = new WeakMap<FastifyRequest, Turn>()
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const turn = { end: takeTurn(callerOf(request).user.id), isWorking: false }
      taken.set(request, turn)
      // Whoever hangs up in between still has what they began at work.
      reply.raw.once('close', () => turn.isWorking || turn.end())
    },
    /** Does the work, and then ends the request's turn. */
    async inTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const turn = taken.get(request)
      if (turn) turn.isWorking = true
      try {
        return await work()
      } finally {
        turn?.end()
      }
    },
  }
}

/** Takes a user's only turn and answers how to give it back. Throws a 429 while it is taken, or too many others are. */
function turns() {
  const busy = new Set<string>()
  return (userId: string) => {
    if (busy.has(userId) || busy.size >= mostAtOnce) throw new HttpError(429, importIsRunning, { retryAfter: 5 })
    busy.add(userId)
    return () => void busy.delete(userId)
  }
}
