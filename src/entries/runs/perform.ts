import type { Context } from '../../platform/context.ts'
import type { EntryJob, Job, Verdict } from '../../platform/jobs/job.ts'
import type { Running, Task } from '../../platform/jobs/worker/worker.ts'
import type { SilentTurn } from '../../platform/net/offline.ts'
import { type Instant, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { earliestTurn, openSettings } from '../settings.ts'
import { nowJob } from '../store.ts'
import type { AnyEntryToolServer, Outcome, RunResult } from '../tool-server.ts'
import { delayLateBatches, jobsWithoutAccess } from './run-batches.ts'

/** Time between attempts. A job's `attempt` counts in units of it, and thus measures how long a turn has been tried. */
const attemptInterval: Milliseconds = seconds(10)
const firstFailureRepeatedAfter: Milliseconds = minutes(1)

/**
 * The first turn after `now`, at a fixed rate; missed turns are skipped. If it would follow a late run within half an
 * interval, the interval counts from that run instead.
 */
export function nextTurn(turnAt: Instant, every: Milliseconds, now: Instant, startedAt: Instant): Instant {
  const next = turnAt + every * Math.max(1, Math.floor((now - turnAt) / every) + 1)
  return next - startedAt < every / 2 ? startedAt + every : next
}

type Rate = { every: Milliseconds; earliest: (at: Instant) => Instant; now: Instant; startedAt: Instant }

/** Builds the tasks for a batch of jobs, loading all their entries with one query. */
export async function prepareRuns(
  context: Context,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  batch: readonly EntryJob[],
): Promise<Map<string, Task<RunResult> | Verdict>> {
  if (batch.length === 0) return new Map()
  const forbidden = await jobsWithoutAccess(context, tools, batch)
  const allowed = batch.filter((job) => !forbidden.has(job))
  const dueTimes = await delayLateBatches(context, allowed)
  const rows = await context.db.q
    .selectFrom('entry')
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .select([
      'entry.id',
      'entry.tool',
      'entry.owner_id',
      'entry.settings',
      'entry.updated_at',
      'entry.last_at',
      'entry.fails',
      'users.status as ownerStatus',
    ])
    .where(context.db.isOneOf('entry.id', [...new Set(batch.map((job) => job.entryId))]))
    .execute()
  const entries = new Map(rows.map((row) => [row.id, row]))

  const taskOf = (job: EntryJob): Task<RunResult> | Verdict => {
    const entry = entries.get(job.entryId)
    const tool = entry && tools.get(entry.tool)
    if (!entry || !tool) return endVerdict(job)
    const dueAt = dueTimes.get(job)
    if (dueAt !== undefined) return { id: job.id, turnAt: job.turnAt, dueAt, attempt: job.attempt, claim: job.claim }
    const stored: unknown = JSON.parse(entry.settings)
    const ownerActive = entry.ownerStatus === Active
    if (job.kind !== 'turn' && job.kind !== 'now') {
      const jobEntry = {
        id: entry.id,
        tool: entry.tool,
        ownerId: entry.owner_id,
        ownerActive,
        isFailing: entry.fails > 0,
        stored,
      }
      return tool.deliver?.(job, jobEntry, context) ?? endVerdict(job)
    }
    const { schedule } = tool
    if (!schedule) return endVerdict(job)
    const settings = openSettings(tool, stored, context)
    const every = schedule.every(settings, context.config)
    const isTurn = job.kind === 'turn'
    const earliest = (at: Instant) => earliestTurn(tool, settings, at)
    // Without an active owner or access, turns are skipped but stay scheduled.
    if (!ownerActive || forbidden.has(job))
      return isTurn ? nextTurnVerdict(job, { every, earliest, now: context.now(), startedAt: 0 }) : endVerdict(job)
    const isFirstRun = entry.last_at === null
    const retries = isTurn && schedule.retries(every)
    const target = schedule.target(settings, context.config)
    const ownerId = entry.owner_id
    const run = async ({ now, waitingSince, hasWaited }: Running): Promise<RunResult> => {
      const runContext = {
        entryId: entry.id,
        editedAt: entry.updated_at,
        visitor: { ownerId, hasWaited },
        jobId: job.id,
        isAsked: job.id === nowJob(entry.id),
      }
      let at = context.now()
      const wait = isTurn ? earliest(at) - at : 0
      if (wait > 0) return { verdict: { id: job.id, turnAt: job.turnAt, dueAt: Math.ceil(now() + wait), attempt: 0 } }
      let began = context.elapsed()
      const perform = () => {
        at = context.now()
        began = context.elapsed()
        return schedule.perform(settings, context, runContext)
      }
      const outcome = isTurn
        ? await performTurn(context, { id: job.id, ownerId, target, first: isFirstRun }, perform)
        : await performNow(context, perform)
      const base = {
        entryId: entry.id,
        tool: entry.tool,
        ownerId,
        at,
        wasFailing: entry.fails > 0,
        url: schedule.subject(settings),
      }
      return resultOf(outcome, job, base, {
        canRetryInTurn: isTurn && !isFirstRun,
        retries,
        repeatsFirstFailure: retries && entry.fails === 0,
        every,
        earliest,
        isTurn,
        now: now(),
        startedAt: Math.round(now() - (context.elapsed() - began)),
        waitingSince,
        context,
      })
    }
    return { target: context.operatorHosts.has(target) ? target : `${ownerId} ${target}`, ownerId, run }
  }

  return new Map(
    batch.flatMap((job): [string, Task<RunResult> | Verdict][] => {
      try {
        return [[job.id, taskOf(job)]]
      } catch (error) {
        // The worker retries this job later; the others proceed.
        context.log.error({ err: error, entry: job.entryId }, 'An entry cannot be read; its work is postponed')
        return []
      }
    }),
  )
}

function resultOf(
  outcome: Outcome,
  job: Job,
  base: Omit<NonNullable<RunResult['run']>, 'success' | 'duration' | 'count' | 'note' | 'isOurs'>,
  options: {
    canRetryInTurn: boolean
    retries: boolean
    repeatsFirstFailure: boolean
    isTurn: boolean
    waitingSince: Instant
    context: Context
  } & Rate,
): RunResult {
  const also = outcome.also && { also: outcome.also }
  if ('retryIn' in outcome) {
    const { retryIn, why, crowded } = outcome
    if (why !== undefined)
      options.context.log.error({ entry: base.entryId, why }, 'A run failed on our side; retrying it')
    const dueAt = Math.ceil(options.now + retryIn)
    const waitingSince = crowded ? options.waitingSince : null
    const verdict = { id: job.id, turnAt: job.turnAt, dueAt, attempt: job.attempt, waitingSince }
    return { verdict, ...also }
  }
  if ('isNone' in outcome) return { verdict: options.isTurn ? nextTurnVerdict(job, options) : endVerdict(job), ...also }
  if (!outcome.success && options.canRetryInTurn) {
    const retry = nextAttempt(job, outcome, options)
    if (retry) return { verdict: retry }
  }
  const { success, duration, count, note, wait } = outcome
  const isOurs = 'isOurs' in outcome && outcome.isOurs === true
  const repeatsFirstFailure = options.repeatsFirstFailure && !success && wait === undefined
  const verdict = repeatsFirstFailure ? repeatVerdict(job, options.now) : nextTurnVerdict(job, options, wait)
  return {
    verdict: options.isTurn ? verdict : endVerdict(job),
    ...(wait === undefined || options.isTurn ? {} : { postponeTurn: { entryId: base.entryId, wait } }),
    ...also,
    run: { ...base, success, duration, count, note, isOurs },
  }
}

/** Another attempt at the same turn before its failure is recorded; undefined if it has been tried long enough. */
function nextAttempt(
  job: Job,
  { transient, startsIn, duration }: Extract<Outcome, { success: false }>,
  { now, every, retries }: { now: Instant; every: Milliseconds; retries: boolean },
): Verdict | undefined {
  const tried = job.attempt * attemptInterval + duration + attemptInterval
  const isWaking = startsIn !== undefined && tried <= Math.min(startsIn, every)
  if (!isWaking && !(transient && retries && job.attempt === 0)) return undefined
  const attempt = Math.max(job.attempt + 1, Math.round(tried / attemptInterval))
  return { id: job.id, turnAt: job.turnAt, dueAt: now + attemptInterval, attempt }
}

/** Repeats the turn after the first failure, so that the owner is notified within minutes. */
const repeatVerdict = (job: Job, now: Instant): Verdict => ({
  id: job.id,
  turnAt: job.turnAt,
  dueAt: Math.ceil(now + firstFailureRepeatedAfter),
  attempt: job.attempt + 1,
})
const endVerdict = (job: Job): Verdict => ({ id: job.id, turnAt: null, dueAt: 0, attempt: 0 })
function nextTurnVerdict(job: Job, { every, earliest, now, startedAt }: Rate, wait = 0): Verdict {
  const turnAt = nextTurn(job.turnAt, every, now, startedAt)
  return { id: job.id, turnAt, dueAt: earliest(Math.max(turnAt, now + wait)), attempt: 0 }
}

/** Performs a turn, or postpones it while our own network is down, so that the target isn't blamed. */
async function performTurn(
  { offline, elapsed }: Pick<Context, 'offline' | 'elapsed'>,
  turn: Omit<SilentTurn, 'began'>,
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  const wait = await offline.postpone(turn)
  if (wait > 0) return { retryIn: wait }
  const began = elapsed()
  const outcome = await perform()
  if (!isSilent(outcome)) return outcome
  const longer = await offline.postponeSilent({ ...turn, began })
  return longer > 0 ? { retryIn: longer } : outcome
}

/** Performs Run now, which is recorded even while our own network is down. */
async function performNow({ offline }: Pick<Context, 'offline'>, perform: () => Promise<Outcome>): Promise<Outcome> {
  const outcome = await perform()
  if (!('success' in outcome) || outcome.success || !isSilent(outcome) || !offline.isOffline()) return outcome
  return { ...outcome, note: `${outcome.note}; this server seems to be offline`, isOurs: true }
}

/** Whether the target didn't respond. A problem on our side, such as an unreachable name server, counts too. */
const isSilent = (outcome: Outcome) => {
  if ('retryIn' in outcome) return !(outcome.crowded || outcome.isWaiting)
  return 'success' in outcome && !outcome.success && outcome.unreachable === true
}
