import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { limitHeapGrowth } from '../heap.ts'
import { callerOf } from '../http/access/guard.ts'
import { defaultBodyTimeout } from '../http/connection/unread.ts'
import { rateLimiter } from '../net/visit-limits.ts'

/** Bytes of all files that are being received or imported: one of the largest, and some smaller ones. */
const mostBytes = 31_457_280
/** Bytes to count for even the smallest file, including its response. */
const leastBytes = 1_048_576
/** Percent of heap growth between garbage collections during and shortly after imports, which leave much garbage. */
const heapGrowth = 30
const heapGrowthFor: Milliseconds = minutes(5)
/** How long an upload keeps its place while others wait for one. */
const preemptAfter: Milliseconds = seconds(5)
/** How long an upload waits for a place, with its body unread. */
const longestWait: Milliseconds = seconds(10)
const lookEvery: Milliseconds = 100
const mostWaiting = 200

/** Imports of a user within a minute; a file costs time even if it is refused. */
const mostPerMinute = 20
const mostUsers = 10_000

const importIsRunning = 'Another import is still running. Try again in a few seconds.'
export const uploadPreempted =
  'Others were waiting to import while this file was being sent. Try again in a few seconds.'

type Turn = {
  userId: string
  /** When the user's previous import ended. */
  lastImportAt: Milliseconds
  length: number
  /** Bytes that it counts for. */
  bytes: number
  state: 'waiting' | 'coming' | 'working'
  since: Milliseconds
  received: () => number
  upload: AbortController
}

// Doesn't use `fairQueue`: files differ in size, and an upload may have to give up its place.
/**
 * One import per user at a time: `onRequest` awaits `begin` before the body is read, and the handler works `runInTurn`.
 * The user whose last import is oldest goes first. After 5 s, a slow upload or a more recent user's gives way to them.
 */
export function createImportTurns(elapsed: () => Milliseconds) {
  /** In the order of arrival. */
  const turns = new Set<Turn>()
  const limitRate = rateLimiter(elapsed, { most: mostPerMinute, per: minutes(1), refusal: 'Too many imports.' })
  const turnOf = new WeakMap<FastifyRequest, Turn>()
  const lastOf = new LRUCache<string, Milliseconds>({ maxSize: mostUsers, sizeCalculation: () => 1 })
  const inState = (state: Turn['state']) => [...turns].filter((turn) => turn.state === state)
  const busy = () => new HttpError(429, importIsRunning, { retryAfter: preemptAfter / seconds(1) })

  function end(turn: Turn) {
    if (turns.delete(turn) && turn.state !== 'waiting') lastOf.set(turn.userId, elapsed())
  }

  let heapTimer: NodeJS.Timeout | undefined
  function keepHeapSmall() {
    clearTimeout(heapTimer)
    limitHeapGrowth(heapGrowth)
    heapTimer = setTimeout(limitHeapGrowth, heapGrowthFor, 0)
    heapTimer.unref()
  }

  const isFirst = (turn: Turn) => inState('waiting').every((other) => other === turn || comesBefore(turn, other))
  const comesBefore = (turn: Turn, later: Turn) =>
    turn.lastImportAt < later.lastImportAt || (turn.lastImportAt === later.lastImportAt && turn.since <= later.since)

  /** Whether this upload is too slow to finish within the time limit for all bodies. */
  const isSlow = ({ since, length, received }: Turn) =>
    received() < Math.min(length, (length * (elapsed() - since)) / defaultBodyTimeout)
  const canBePreempted = (upload: Turn, turn: Turn) =>
    elapsed() - upload.since >= preemptAfter && (turn.lastImportAt < upload.lastImportAt || isSlow(upload))

  function tryAcquire(turn: Turn): boolean {
    if (!turns.has(turn) || !isFirst(turn)) return false
    const usedBytes = [...turns].reduce((sum, { state, bytes }) => sum + (state === 'waiting' ? 0 : bytes), 0)
    let excess = usedBytes + turn.bytes - mostBytes
    const preempted: Turn[] = []
    for (const upload of inState('coming'))
      if (excess > 0 && canBePreempted(upload, turn)) {
        preempted.push(upload)
        excess -= upload.bytes
      }
    if (excess > 0) return false
    for (const upload of preempted) {
      end(upload)
      upload.upload.abort(new HttpError(503, uploadPreempted, { retryAfter: preemptAfter / seconds(1) }))
    }
    keepHeapSmall()
    turn.state = 'coming'
    turn.since = elapsed()
    return true
  }

  return {
    /** Waits for the turn of a file of at most `most` bytes. Throws a 429 if it doesn't get one. */
    async begin(request: FastifyRequest, { raw }: FastifyReply, most: number): Promise<void> {
      const { id } = callerOf(request).user
      if ([...turns].some(({ userId }) => userId === id)) throw busy()
      limitRate(id)
      if (inState('waiting').length >= mostWaiting) throw busy()
      // The client disconnected while it was being identified, so no 'close' would end its turn.
      if (raw.destroyed) throw busy()
      const { socket } = request.raw
      const initialBytesRead = socket.bytesRead
      const length = Math.min(most, Number(request.headers['content-length'] ?? most))
      const turn: Turn = {
        userId: id,
        lastImportAt: lastOf.get(id) ?? Number.NEGATIVE_INFINITY,
        length,
        bytes: Math.max(leastBytes, length),
        state: 'waiting',
        since: elapsed(),
        received: () => socket.bytesRead - initialBytesRead,
        upload: new AbortController(),
      }
      turns.add(turn)
      turnOf.set(request, turn)
      // An import that has begun continues after its client disconnects.
      raw.once('close', () => turn.state === 'working' || end(turn))
      const startedAt = elapsed()
      while (!tryAcquire(turn)) {
        if (elapsed() - startedAt >= longestWait || !turns.has(turn)) {
          end(turn)
          throw busy()
        }
        await new Promise((resolve) => setTimeout(resolve, lookEvery))
      }
    },
    /** A signal that aborts with an HttpError when the upload has to give way. */
    uploadOf: (request: FastifyRequest): AbortSignal | undefined => turnOf.get(request)?.upload.signal,
    async runInTurn<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const turn = turnOf.get(request)
      turn?.upload.signal.throwIfAborted()
      if (!turn || !turns.has(turn)) throw busy()
      turn.state = 'working'
      try {
        return await work()
      } finally {
        end(turn)
      }
    },
  }
}
export type ImportTurns = ReturnType<typeof createImportTurns>
