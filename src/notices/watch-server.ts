import * as z from 'zod/mini'
import { hasAdmin } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { sharedState } from '../platform/db/shared-state.ts'
import { transact } from '../platform/db/transact.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import { type Instant, type Milliseconds, minutes } from '../shared/time.ts'

/** Admins aren't notified of shorter problems. */
const shortestProblem: Milliseconds = minutes(1)

const problemLabels: Record<string, readonly [now: string, then: string]> = {
  database: ["the database isn't answering", "the database wasn't answering"],
  role: ["the database refuses ToolBox's role", "the database refused ToolBox's role"],
  'read-only': ['the database is read-only', 'the database was read-only'],
  locked: ['another program keeps the database locked', 'another program kept the database locked'],
  disk: ["the disk is full or can't be written to", "the disk was full or couldn't be written to"],
  migrations: ['the database belongs to another version', 'the database belonged to another version'],
  worker: ['pings, purges and deliveries are standing still', 'pings, purges and deliveries stood still'],
  badges: ["views of badges aren't being counted", "views of badges weren't counted"],
  events: ['live updates between instances are interrupted', 'live updates between instances were interrupted'],
}

type Watching = Pick<Context, 'db' | 'now' | 'elapsed' | 'events' | 'log' | 'notify'>
type ServerProblem = { why: string; since: Instant; until: Instant }

/**
 * Call the returned function every few seconds. It notifies admins once a problem has lasted a minute, and once it has
 * ended. Only the first instance to see either notifies them.
 */
export function watchServer(
  { db, now, elapsed, events, log, notify }: Watching,
  whyNotReady: () => Promise<string | undefined>,
): () => Promise<void> {
  let problem: { why: string; since: Milliseconds } | undefined
  /** A problem that has ended, which perhaps couldn't be stored while it lasted. */
  let lastEnded: ServerProblem | undefined

  function lastingProblem(why: string | undefined): ServerProblem | undefined {
    if (why) problem ??= { why, since: elapsed() }
    if (!problem) return
    const lasted = elapsed() - problem.since
    const found = { why: problem.why, since: Math.floor(now() - lasted), until: Math.floor(now()) }
    if (!why) problem = undefined
    if (lasted < shortestProblem) return
    if (why) return found
    lastEnded = found
  }

  const sendNotice = (tx: Queries, message: string) => notify(tx, [{ type: 'operator', message }])

  async function notifyOfProblem(tx: Queries, { why, since, until }: ServerProblem): Promise<readonly LiveEvent[]> {
    const stored = await knownProblem.lock(db, tx)
    const wasNotified = stored && !stored.isOver
    await knownProblem.write(
      tx,
      wasNotified ? { ...stored, seenAt: until } : { why, since, seenAt: until, isOver: false },
    )
    return wasNotified ? [] : sendNotice(tx, `ToolBox has a problem: ${problemLabelsOf(why)[0]}.`)
  }

  async function notifyOfRecovery(tx: Queries): Promise<readonly LiveEvent[]> {
    const stored = await knownProblem.lock(db, tx)
    if (stored && !stored.isOver) {
      const seenAt = Math.max(stored.seenAt, lastEnded?.until ?? 0)
      // Another instance may still have the problem.
      const isOver = isPast(seenAt)
      await knownProblem.write(tx, { ...stored, seenAt, isOver })
      return isOver ? sendNotice(tx, recoveryMessage({ ...stored, until: seenAt })) : []
    }
    // Another instance has already notified admins.
    if (!lastEnded || (stored && stored.seenAt >= lastEnded.since)) return []
    await knownProblem.write(tx, { why: lastEnded.why, since: lastEnded.since, seenAt: lastEnded.until, isOver: true })
    return sendNotice(tx, recoveryMessage(lastEnded))
  }

  /** Whether no instance has seen the problem for a minute. A time in the future means that the clock was set back. */
  const isPast = (at: Instant) => now() - at >= shortestProblem || at > now()

  async function share(lasting: ServerProblem | undefined) {
    if (!lasting && !lastEnded) {
      const stored = await knownProblem.read(db.q)
      if (!stored || stored.isOver || !isPast(stored.seenAt)) return
    }
    const work = (tx: Queries) => (lasting ? notifyOfProblem(tx, lasting) : notifyOfRecovery(tx))
    events.publish(await transact(db, work))
    if (!lasting) lastEnded = undefined
  }

  return async () => {
    const why = await whyNotReady()
    const lasting = lastingProblem(why)
    if (why && !lasting) return
    await share(lasting).catch((error: unknown) =>
      log.debug({ err: error }, 'Failed to notify admins of a problem; retrying later'),
    )
  }
}

const problemLabelsOf = (why: string) => problemLabels[why] ?? ([why, why] as const)

const recoveryMessage = ({ why, since, until }: ServerProblem) =>
  `ToolBox has recovered. For ${Math.round(Math.max(0, until - since) / minutes(1))} min, ${problemLabelsOf(why)[1]}.`

/** The problem that admins were last notified of: its start, when an instance last saw it, and whether it has ended. */
export const knownProblem = sharedState(
  'server trouble',
  z.object({ why: z.string(), since: z.int(), seenAt: z.int(), isOver: z.boolean() }),
)

/** Notifies admins once per database. Does nothing while there is no admin. */
export async function notifyAdminsOnce(
  { db, events, notify }: Pick<Context, 'db' | 'events' | 'notify'>,
  key: string,
  message: string,
): Promise<void> {
  const liveEvents = await transact(db, async (tx) => {
    if (!(await hasAdmin(tx))) return []
    const noted = await tx
      .insertInto('setting')
      .values({ key, value: message })
      .onConflict((on) => on.column('key').doNothing())
      .returning('key')
      .executeTakeFirst()
    return noted ? notify(tx, [{ type: 'operator', message }]) : []
  })
  events.publish(liveEvents)
}
