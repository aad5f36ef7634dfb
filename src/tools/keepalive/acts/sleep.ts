import type { Run, SettingsOf } from '../../../entries/contract.ts'
import { entryStore, nowJob } from '../../../entries/store.ts'
import type { Outcome, RunOf } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { days, minutes, seconds } from '../../../shared/time.ts'
import { certificateStore } from '../certificates.ts'
import type { KeepaliveConfig } from '../config.ts'
import type { keepalive, Sleep } from '../contract.ts'
import { ping, wakingUp } from './request.ts'
import { awakeStore } from './state.ts'

/** No app falls asleep within `short` minutes. At least `fewest` responses after them show how slow an awake app is. */
const short = 2
const fewest = 5
/** A cold start takes at least this time, and this many times as long as the response of an awake app. */
const coldFrom = seconds(3)
const severalTimes = 3
/** The number of runs with longer gaps that show the usual duration. */
const fewestLong = 20

type Seen = { gap: number; state: 'awake' | 'asleep' | 'unclear' }

/** The state in which each run found the app, and the idle minutes before it. The newest run comes first. */
function seenIn(runs: readonly Run[]): Seen[] {
  const known = runs.slice(0, -1).map((run, at) => {
    const before = runs[at + 1] ?? run
    const gap = Math.round((run.timestamp - before.timestamp - (before.duration ?? 0)) / minutes(1))
    return { ...run, gap, passes: runs[at - 1]?.success ?? true }
  })
  const took = (those: typeof known) =>
    those.flatMap(({ success, duration }) => (success ? (duration ?? []) : [])).sort((a, b) => a - b)
  const ofShort = took(known.filter(({ gap }) => gap <= short))
  const all = took(known)
  if (ofShort.length < fewest && all.length < fewestLong) return []
  const usual = ofShort.length < fewest ? all[Math.floor(all.length * 0.9)] : ofShort.at(-1)
  const cold = Math.max(coldFrom, (usual ?? 0) * severalTimes)
  return known.map(({ gap, success, status, duration = 0, passes }): Seen => {
    if (!success) return { gap, state: passes && wakingUp.includes(status ?? 0) ? 'asleep' : 'unclear' }
    if (duration > cold) return { gap, state: 'asleep' }
    return { gap, state: duration > coldFrom ? 'unclear' : 'awake' }
  })
}

function evidenceOf(runs: readonly Run[]) {
  const seen = seenIn(runs)
  const gaps = (of: Seen['state']) => seen.filter(({ state }) => state === of).map(({ gap }) => gap)
  const asleep = gaps('asleep')
  return { asleep: Math.min(...asleep), awake: Math.max(0, ...gaps('awake')), wakings: asleep.length }
}

/** The idle minutes after which an app falls asleep, and the interval to suggest; null where runs are contradictory. */
export function sleepOf(runs: readonly Run[], every: number): Omit<Sleep, 'until'> {
  const { asleep, awake, wakings } = evidenceOf(runs)
  const isFound = awake > 0 && awake < asleep && asleep < Number.POSITIVE_INFINITY
  // Other visitors may have kept it awake, so suggest a longer interval only if the idle time is known to the minute.
  const isOf = every >= asleep || asleep - awake === 1
  return {
    asleepAfter: isFound ? asleep : null,
    awakeAfter: awake > 0 && awake < asleep ? awake : null,
    wakings,
    suggestion: isFound && isOf && awake !== every ? awake : null,
  }
}

/** The number of runs a minute apart that show the usual duration, the longest gap (minutes), and the most runs. */
const first = 10
const longest = 128
const mostRuns = 30

/** The minutes until the search's next request, from its runs so far; undefined once the search has ended. */
export function nextGap(runs: readonly Run[]): number | undefined {
  if (runs.length <= first) return 1
  const { asleep, awake } = evidenceOf(runs)
  const to = Math.min(asleep, longest)
  return to - awake <= 1 || runs.length >= mostRuns ? undefined : Math.round((awake + to) / 2)
}

export const findingLasts = days(1)
/** The regular turn waits for this time after the planned request, which may be late. */
const turnLater = minutes(2)

/** Performs a requested run. While the search for the app's idle time is running, it also plans the next request. */
export async function pingAsked(
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
  const run: Run = { success, timestamp: at - duration, duration, ...(count !== undefined && { status: count }) }
  const before = await entryStore(db).history(id, at)
  const isWaking = !success && wakingUp.includes(count ?? 0)
  const isOver = at - since >= findingLasts || !(success || isWaking)
  const gap = isOver ? undefined : nextGap([run, ...before.filter(({ timestamp }) => timestamp >= since)])
  const also = async (tx: Queries) => {
    const events = (await outcome.also?.(tx)) ?? []
    const isActive = (await certificateStore(db, tx).named(id)) !== undefined
    if (gap !== undefined && isActive)
      await jobs.add({ id: nowJob(id), kind: 'now', entryId: id, dueAt: at + minutes(gap), plannedAt: at }, tx)
    else await awakeStore(db, tx).save(id, { awake: null, memory: {} })
    return events
  }
  // The app failed because the search let it fall asleep.
  return { ...outcome, ...(isWaking && { isOurs: true }), ...(gap && { wait: minutes(gap) + turnLater }), also }
}
