import type { Run, SettingsOf } from '../../../entries/contract.ts'
import { entryStore } from '../../../entries/store.ts'
import type { Outcome, RunOf } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { days, minutes, seconds } from '../../../shared/time.ts'
import { certificateStore } from '../certificates.ts'
import type { KeepaliveConfig } from '../config.ts'
import type { keepalive, Sleep } from '../contract.ts'
import { ping, wakingStatuses } from './request.ts'
import { awakeStore } from './state.ts'

/** Apps stay awake for `shortGap` minutes: `minShortGaps` responses after such gaps show how slow an awake app is. */
const shortGap = 2
const minShortGaps = 5
/** A cold start takes at least this time, and this many times as long as the response of an awake app. */
const minColdStart = seconds(3)
const coldFactor = 3
/** The number of runs with longer gaps that show the usual duration. */
const minGaps = 20

type Observation = { gap: number; state: 'awake' | 'asleep' | 'unclear' }

/** The state in which each run found the app, and the idle minutes before it. The newest run comes first. */
function observationsIn(runs: readonly Run[]): Observation[] {
  const runsWithGaps = runs.slice(0, -1).map((run, at) => {
    const before = runs[at + 1] ?? run
    const gap = Math.round((run.timestamp - before.timestamp - (before.duration ?? 0)) / minutes(1))
    return { ...run, gap, passes: runs[at - 1]?.success ?? true }
  })
  const sortedDurations = (those: typeof runsWithGaps) =>
    those.flatMap(({ success, duration }) => (success ? (duration ?? []) : [])).sort((a, b) => a - b)
  const ofShort = sortedDurations(runsWithGaps.filter(({ gap }) => gap <= shortGap))
  const all = sortedDurations(runsWithGaps)
  if (ofShort.length < minShortGaps && all.length < minGaps) return []
  const typicalDuration = ofShort.length < minShortGaps ? all[Math.floor(all.length * 0.9)] : ofShort.at(-1)
  const cold = Math.max(minColdStart, (typicalDuration ?? 0) * coldFactor)
  return runsWithGaps.map(({ gap, success, status, duration = 0, passes }): Observation => {
    if (!success) return { gap, state: passes && wakingStatuses.includes(status ?? 0) ? 'asleep' : 'unclear' }
    if (duration > cold) return { gap, state: 'asleep' }
    return { gap, state: duration > minColdStart ? 'unclear' : 'awake' }
  })
}

function evidenceOf(runs: readonly Run[]) {
  const seen = observationsIn(runs)
  const gaps = (of: Observation['state']) => seen.filter(({ state }) => state === of).map(({ gap }) => gap)
  const asleep = gaps('asleep')
  return { asleep: Math.min(...asleep), awake: Math.max(0, ...gaps('awake')), wakings: asleep.length }
}

/** The idle minutes after which an app falls asleep, and the interval to suggest; null where runs are contradictory. */
export function sleepOf(runs: readonly Run[], every: number): Omit<Sleep, 'until'> {
  const { asleep, awake, wakings } = evidenceOf(runs)
  const isFound = awake > 0 && awake < asleep && asleep < Number.POSITIVE_INFINITY
  // Other visitors may have kept it awake, so suggest a longer interval only if the idle time is known to the minute.
  const canSuggest = every >= asleep || asleep - awake === 1
  return {
    asleepAfter: isFound ? asleep : null,
    awakeAfter: awake > 0 && awake < asleep ? awake : null,
    wakings,
    suggestion: isFound && canSuggest && awake !== every ? awake : null,
  }
}

/** The number of runs a minute apart that show the usual duration, the longest gap (minutes), and the most runs. */
const initialRuns = 10
const longestGap = 128
const mostRuns = 30

/** The minutes until the search's next request, from its runs so far; undefined once the search has ended. */
export function nextGap(runs: readonly Run[]): number | undefined {
  if (runs.length <= initialRuns) return 1
  const { asleep, awake } = evidenceOf(runs)
  const to = Math.min(asleep, longestGap)
  return to - awake <= 1 || runs.length >= mostRuns ? undefined : Math.round((awake + to) / 2)
}

export const searchDuration = days(1)
/** The regular turn waits for this time after the planned request, which may be late. */
const turnDelay = minutes(2)

/** A job of its own, so that a run that a user starts never continues a search that has ended. */
export const searchJob = (entryId: string) => `search:${entryId}`

/** Performs a request of the search for the app's idle time, and plans the next one. */
export async function pingForSearch(
  settings: SettingsOf<typeof keepalive>,
  context: Context<KeepaliveConfig>,
  of: RunOf,
): Promise<Outcome> {
  const { db, now, jobs } = context
  const { entryId: id } = of
  const outcome = await ping(settings, context, of)
  const since = (await awakeStore(db, db.q).load([id])).get(id)?.memory.findingSince
  if (since === undefined || !('success' in outcome)) return outcome
  const { success, duration, count } = outcome
  const at = now()
  const run: Run = { success, timestamp: at - duration, duration, status: count }
  const before = await entryStore(db).history(id, at)
  const isWaking = !success && wakingStatuses.includes(count ?? 0)
  const isOver = at - since >= searchDuration || !(success || isWaking)
  const gap = isOver ? undefined : nextGap([run, ...before.filter(({ timestamp }) => timestamp >= since)])
  const also = async (tx: Queries) => {
    const events = (await outcome.also?.(tx)) ?? []
    const isActive = (await certificateStore(db, tx).findForNotice(id)) !== undefined
    if (gap !== undefined && isActive)
      await jobs.add({ id: searchJob(id), kind: 'now', entryId: id, dueAt: at + minutes(gap), plannedAt: at }, tx)
    else await awakeStore(db, tx).save(id, { awake: null, memory: {} })
    return events
  }
  // The app failed because the search let it fall asleep.
  return { ...outcome, ...(isWaking && { isOurs: true }), ...(gap && { wait: minutes(gap) + turnDelay }), also }
}

/** Ends the search for the idle time of an entry that is inactive after an edit. */
export async function endSearchIfInactive(id: string, tx: Queries, { db }: Pick<Context, 'db'>) {
  const since = (await awakeStore(db, tx).load([id])).get(id)?.memory.findingSince
  if (since === undefined || (await certificateStore(db, tx).findForNotice(id))) return
  await awakeStore(db, tx).save(id, { awake: null, memory: {} })
  // A request under way is still recorded.
  await tx.deleteFrom('job').where('id', '=', searchJob(id)).where('lease_by', 'is', null).execute()
}
