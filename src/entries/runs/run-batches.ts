import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { lockEntries, lockJobs } from '../../platform/db/locks.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App, Caller } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import type { EntryJob } from '../../platform/jobs/job.ts'
import { runsApart, urlsApart } from '../../platform/net/visit-limits.ts'
import { HttpError, invalid, notFound } from '../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { type BulkAnswer, crossToolCalls, type Progress } from '../contract.ts'
import { earliestTurn, openSettings, runNowRefusal } from '../settings.ts'
import { entryStore, nowJob } from '../store.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'

/*
 * Batches of runs that start at a limited rate: Run now on many entries, and first runs of an import. Each run is a job
 * whose payload names the batch until it has run, so the progress derives from the jobs: no other state has to be
 * stored, resumed or cleaned up.
 */

type PacedBatch = Pick<Progress, 'id' | 'kind' | 'total'> & { userId: string }

const intervals = { run: runsApart, import: urlsApart }
const isPaced = sql<boolean>`payload is not null and kind in ('now', 'turn')`
const isPacedKind = ({ kind }: Pick<EntryJob, 'kind'>) => kind === 'now' || kind === 'turn'
const parseBatch = (payload: string): PacedBatch => JSON.parse(payload)

type BatchInProgress = Progress & { payload: string }

async function batchesInProgress(q: Queries, userId: string): Promise<BatchInProgress[]> {
  const { rows } = await sql<{ payload: string; remaining: number; endsAt: Instant }>`
    select payload, count(*) as "remaining", max(due_at) as "endsAt" from job where ${isPaced} group by payload`.execute(
    q,
  )
  return rows.flatMap(({ payload, remaining, endsAt }) => {
    const { id, kind, total, userId: of } = parseBatch(payload)
    return of === userId ? [{ id, kind, total, done: total - Number(remaining), endsAt: Number(endsAt), payload }] : []
  })
}

/** Plans a batch after the user's earlier ones of its kind: the payload of its jobs, and the due time of each. */
async function planBatch(q: Queries, { userId, kind, total }: Omit<PacedBatch, 'id'>, now: Instant) {
  const before = await batchesInProgress(q, userId)
  const ends = before.flatMap((one) => (one.kind === kind ? one.endsAt + intervals[kind] : []))
  const from = Math.max(now, ...ends)
  const payload: PacedBatch = { id: randomUUID(), userId, kind, total }
  return { payload, dueAt: (at: number): Instant => from + at * intervals[kind] }
}

/** Starts the runs immediately if they are few, otherwise at a limited rate. Rejects entries like a single Run now. */
export async function bulkRun(
  context: Context,
  tool: AnyEntryToolServer,
  user: Caller['user'],
  ids: readonly string[],
): Promise<BulkAnswer> {
  if (!tool.schedule) throw invalid('act', "These entries can't be run.")
  const { db, jobs, now, visitLimits } = context
  const uniqueIds = [...new Set(ids)]
  const refused = new Map<string, string>()
  const seen = await entryStore(db).byIds(tool.contract.id, user, uniqueIds)
  const visible = new Set(seen.map(({ id }) => id))
  // Check access first: users must not use up the run limit of an entry that they can't see.
  for (const id of uniqueIds) {
    if (!visible.has(id)) refused.set(id, notFound('Entry').message)
    else
      try {
        visitLimits.consumeRunOfEntry(id)
      } catch (refusal) {
        if (!(refusal instanceof HttpError)) throw refusal
        refused.set(id, refusal.message)
      }
  }
  const wanted = uniqueIds.filter((id) => !refused.has(id))
  const isAtOnce = visitLimits.tryConsumeChecks(user.id, wanted.length)
  const progress = await transact(db, async (tx) => {
    await lockEntries(db, tx, wanted)
    const entries = entryStore(db, tx)
    await entries.lockOwner(user.id)
    const entriesById = new Map((await entries.byIds(tool.contract.id, user, wanted)).map((entry) => [entry.id, entry]))
    for (const id of wanted) {
      const entry = entriesById.get(id)
      const why = entry ? runNowRefusal(tool, entry, context) : notFound('Entry').message
      if (why !== undefined) refused.set(id, why)
    }
    const idle = wanted.filter((id) => !refused.has(id) && !entriesById.get(id)?.isUnderWay)
    const at = now()
    const job = (id: string) => ({ id: nowJob(id), kind: 'now', entryId: id, dueAt: at, plannedAt: at })
    if (isAtOnce) {
      await jobs.addSooner(idle.map(job), at, tx)
      return undefined
    }
    const nowJobs = idle.map(nowJob)
    const found = await tx.selectFrom('job').select('id').where(db.isOneOf('id', nowJobs)).execute()
    const pending = new Set(found.map(({ id }) => id))
    const due = idle.filter((id) => !pending.has(nowJob(id)))
    if (due.length === 0) return undefined
    const { payload, dueAt } = await planBatch(tx, { userId: user.id, kind: 'run', total: due.length }, at)
    const planned = due.map((id, place) => ({ ...job(id), dueAt: dueAt(place), payload }))
    await jobs.add(planned, tx)
    return payload.id
  })
  jobs.wake()
  return {
    done: wanted.filter((id) => !refused.has(id)),
    unchanged: [],
    ...(progress !== undefined && { progress }),
    refused: uniqueIds.flatMap((id) => {
      const why = refused.get(id)
      return why === undefined ? [] : [{ id, why }]
    }),
  }
}

/** Spreads the first turns of just imported entries, in order, if more are due than may start at once. */
export async function paceImported(
  { db, now, visitLimits }: Pick<Context, 'db' | 'now' | 'visitLimits'>,
  tx: Queries,
  userId: string,
  entryIds: readonly string[],
): Promise<void> {
  const due = await tx
    .selectFrom('job')
    .select(['id', 'entry_id'])
    .where(db.isOneOf('entry_id', entryIds))
    .where('kind', '=', 'turn')
    .where('due_at', '<=', now())
    .where('lease_by', 'is', null)
    .execute()
  if (due.length === 0 || visitLimits.tryConsumeUrls(userId, due.length)) return
  const places = new Map(entryIds.map((id, at) => [id, at]))
  const inOrder = due.toSorted((a, b) => (places.get(a.entry_id ?? '') ?? 0) - (places.get(b.entry_id ?? '') ?? 0))
  const { payload, dueAt } = await planBatch(tx, { userId, kind: 'import', total: due.length }, now())
  const moved = inOrder.map(({ id }, at) => ({ id, turn_at: dueAt(at), due_at: dueAt(at) }))
  await rescheduleJobs(db, tx, moved, { plannedAt: now(), payload: JSON.stringify(payload) })
}

type RescheduledJob = { id: string; turn_at: Instant; due_at: Instant }

async function rescheduleJobs(
  db: Db,
  tx: Queries,
  jobs: readonly RescheduledJob[],
  { plannedAt, payload }: { plannedAt: Instant; payload: string | null },
): Promise<void> {
  const batch = db.rows('moved', { id: 'text', turn_at: 'bigint', due_at: 'bigint' }, jobs)
  await sql`update job set turn_at = moved.turn_at, due_at = moved.due_at, free_at = moved.due_at,
    planned_at = ${plannedAt}, payload = ${payload} from ${batch} where job.id = moved.id`.execute(tx)
}

type Tools = ReadonlyMap<string, AnyEntryToolServer>

/** Number of runs dropped per transaction, so that other requests don't wait for all of them. */
const cancelledAtOnce = 250

/** Drops the runs that have not started, the next ones first. Imported entries wait for the turn after their first. */
async function cancelBatch(context: Context, tools: Tools, payload: string): Promise<void> {
  const { db, now } = context
  while (await cancelSomeRuns(context, tools, payload)) await setImmediate()
  // Runs that have started finish, but no longer belong to the batch.
  await transact(db, async (tx) => {
    const startedJobs = await tx.selectFrom('job').select('id').where('payload', '=', payload).where(isPaced).execute()
    const ids = startedJobs.map(({ id }) => id)
    await lockJobs(db, tx, startedJobs)
    await tx.updateTable('job').set({ payload: null, planned_at: now() }).where(db.isOneOf('id', ids)).execute()
  })
}

function cancelSomeRuns(context: Context, tools: Tools, payload: string): Promise<boolean> {
  const { db, now } = context
  return transact(db, async (tx) => {
    const pendingJobs = () =>
      tx.selectFrom('job').where('payload', '=', payload).where(isPaced).where('lease_by', 'is', null)
    const piece = await pendingJobs().select('id').orderBy('due_at').limit(cancelledAtOnce).execute()
    const ids = piece.map(({ id }) => id)
    await lockJobs(db, tx, piece)
    const jobs = await pendingJobs()
      .leftJoin('entry', 'entry.id', 'job.entry_id')
      .select(['job.id', 'job.kind', 'job.turn_at', 'entry.tool', 'entry.settings'])
      .where(db.isOneOf('job.id', ids))
      .execute()
    const moved = jobs.flatMap(({ id, kind, turn_at, tool, settings }): RescheduledJob[] => {
      if (kind !== 'turn' || tool === null || settings === null) return []
      // If the settings can't be read, the turn keeps its time.
      const { turn, due } = turnAfter(context, tools.get(tool), settings, turn_at) ?? { turn: turn_at, due: turn_at }
      return [{ id, turn_at: turn, due_at: due }]
    })
    const movedIds = new Set(moved.map(({ id }) => id))
    const dropped = jobs.flatMap(({ id }) => (movedIds.has(id) ? [] : [id]))
    await tx.deleteFrom('job').where(db.isOneOf('id', dropped)).execute()
    if (moved.length > 0) await rescheduleJobs(db, tx, moved, { plannedAt: now(), payload: null })
    return piece.length === cancelledAtOnce
  })
}

/** The turn after this one; undefined if the settings can't be read. */
function turnAfter(context: Context, tool: AnyEntryToolServer | undefined, stored: string, turnAt: Instant) {
  if (!tool?.schedule) return undefined
  try {
    const settings = openSettings(tool, JSON.parse(stored), context)
    const turn = turnAt + tool.schedule.every(settings, context.config)
    return { turn, due: earliestTurn(tool, settings, turn) }
  } catch {
    return undefined
  }
}

/** Jobs that must not run because their user lost access. Losing the tools also stops the rest of the batch. */
export async function jobsWithoutAccess(
  context: Context,
  tools: Tools,
  batch: readonly EntryJob[],
): Promise<ReadonlySet<EntryJob>> {
  const pacedJobs = batch.flatMap((job) =>
    job.payload !== null && isPacedKind(job) ? [{ job, payload: job.payload }] : [],
  )
  if (pacedJobs.length === 0) return new Set()
  const { db } = context
  const userIds = [...new Set(pacedJobs.map(({ payload }) => parseBatch(payload).userId))]
  const users = await db.q
    .selectFrom('users')
    .select(['id', 'tools_level'])
    .where(db.isOneOf('id', userIds))
    .where('status', '=', Active)
    .execute()
  const levels = new Map(users.map(({ id, tools_level }) => [id, tools_level ?? 0]))
  const levelOf = (payload: string) => levels.get(parseBatch(payload).userId) ?? 0
  const lost = pacedJobs.filter(({ payload }) => levelOf(payload) < 1)
  for (const payload of new Set(lost.map(({ payload }) => payload))) await cancelBatch(context, tools, payload)
  const entryIds = pacedJobs.map(({ job }) => job.entryId)
  const owned = db.q.selectFrom('entry').select(['id', 'owner_id']).where(db.isOneOf('id', entryIds))
  const owners = await owned.execute()
  const ownerOf = new Map(owners.map(({ id, owner_id }) => [id, owner_id]))
  // An entry's scheduled turn isn't canceled when it is given away: it belongs to the new owner.
  const isHidden = ({ job, payload }: (typeof pacedJobs)[number]) =>
    job.kind === 'now' && levelOf(payload) < 2 && ownerOf.get(job.entryId) !== parseBatch(payload).userId
  return new Set(pacedJobs.filter((one) => lost.includes(one) || isHidden(one)).map(({ job }) => job))
}

/** Runs that are late by up to this may start together, because the rate limits count by the minute. */
const mostLate: Milliseconds = minutes(1)

/** Delays the rest of late batches, as after an outage, to keep their rate. Returns waiting jobs with new due times. */
export async function delayLateBatches({ db, now }: Pick<Context, 'db' | 'now'>, batch: readonly EntryJob[]) {
  const dueTimes = new Map<EntryJob, Instant>()
  const late = batch.filter(
    (job) => job.payload !== null && job.waitingSince === null && isPacedKind(job) && now() - job.dueAt > mostLate,
  )
  const groups = Map.groupBy(late, ({ payload }) => {
    const { userId, kind } = parseBatch(payload ?? '')
    return JSON.stringify({ userId, kind })
  })
  for (const [group, jobs] of groups) {
    const { userId, kind }: Pick<PacedBatch, 'userId' | 'kind'> = JSON.parse(group)
    const by = now() - Math.min(...jobs.map(({ dueAt }) => dueAt))
    for (const job of jobs) if (job.dueAt + by > now()) dueTimes.set(job, job.dueAt + by)
    await transact(db, async (tx) => {
      const running = (await batchesInProgress(tx, userId)).filter((one) => one.kind === kind)
      const payloads = running.map(({ payload }) => payload)
      const pendingJobs = tx.selectFrom('job').select('id').where(db.isOneOf('payload', payloads)).where(isPaced)
      const free = await pendingJobs.where('lease_by', 'is', null).where('waiting_since', 'is', null).execute()
      const ids = free.map(({ id }) => id)
      await lockJobs(db, tx, free)
      await tx
        .updateTable('job')
        .set((eb) => ({ due_at: eb('due_at', '+', by), free_at: eb('due_at', '+', by), planned_at: now() }))
        .where(db.isOneOf('id', ids))
        .where('lease_by', 'is', null)
        // Another instance may have delayed these jobs just now, after the same outage.
        .where((eb) => eb.or([eb('due_at', '=', eb.ref('turn_at')), eb('planned_at', '<', now() - mostLate)]))
        .execute()
    })
  }
  return dueTimes
}

export function progressRoutes(app: App, context: Context, tools: Tools): void {
  const route = routesOf(app, crossToolCalls, 'Entries')
  route(
    'GET /api/v1/user/progress',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'List your batches of runs in progress',
      description:
        'Run now on many entries, and first runs of an import. `done` runs have ended; the last starts at `endsAt`.',
    },
    async (request) => {
      const running = await batchesInProgress(context.db.q, callerOf(request).user.id)
      return running.map(({ payload: _, ...progress }) => progress)
    },
  )
  route(
    'DELETE /api/v1/user/progress',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Cancel the runs of a batch that have not started',
      description: 'Imported entries are kept and wait for their next scheduled run.',
      failures: [404],
    },
    async (request) => {
      const { id } = request.query
      const batches = await batchesInProgress(context.db.q, callerOf(request).user.id)
      const batch = batches.find((one) => one.id === id)
      if (!batch) throw notFound('Batch')
      await cancelBatch(context, tools, batch.payload)
      context.jobs.wake()
      return { id }
    },
  )
}
