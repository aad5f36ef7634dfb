import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { entryStore, toolOfOwned } from '../../../entries/store.ts'
import type { Context } from '../../../platform/context.ts'
import { contains } from '../../../platform/db/list/match.ts'
import type { Db } from '../../../platform/db/open.ts'
import { fairQueue } from '../../../platform/fair-queue.ts'
import { callerOf, guard } from '../../../platform/http/access/guard.ts'
import type { App, Caller } from '../../../platform/http/app.ts'
import { routesOf } from '../../../platform/http/calls.ts'
import type { Quiet } from '../../../shared/quiet.ts'
import { quietBetween } from '../../../shared/quiet-until.ts'
import { days, hours, type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import { certificateStore, mostExpiring } from '../certificates.ts'
import type { KeepaliveConfig } from '../config.ts'
import { type Advice, type AdviceBody, hostCalls, keepalive, newerDefaults, type Pool } from '../contract.ts'
import { soonDays } from '../terms.ts'
import {
  appOf,
  asOf,
  hostOf,
  intervalByHost,
  type KnownHost,
  knownHosts,
  recommendedInterval,
  withSource,
} from './terms.ts'

export function hostRoutes(app: App, { config, db, now }: Context<KeepaliveConfig>): void {
  const { label, id: tool } = keepalive
  const route = routesOf(app, hostCalls, label)
  const defaultInterval = config.keepaliveEvery
  // Ten thousand entries take a second of CPU time, so run one forecast at a time, with owners in turn.
  const turns = fairQueue({ concurrency: 1 })
  const inTurn = (userId: string, pinged: () => AsyncIterable<PingedApp>): Promise<Pool[]> =>
    turns.run(userId, () => poolsOf(pinged(), now()))

  route(
    'POST /api/v1/keepalive/advice',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get the known facts about the host of a URL',
      failures: [404],
      description:
        'The host is recognised by the URL alone; nothing is visited. With interval, quiet, status or id, `pool` is the forecast of free hours with such an entry.',
    },
    async (request): Promise<Advice> => {
      const { url, ...entry } = request.body
      const host = hostOf(url)
      const isAsked = Object.keys(entry).length > 0
      return {
        host: host ? { id: host.id, name: host.name } : null,
        interval: recommendedInterval(host, defaultInterval) / minutes(1),
        keep: host?.keptBy ?? 'request',
        sleepsAfter: host?.sleepsAfter ?? null,
        budget: host?.budget ?? null,
        notes: host?.notes.map((note) => withSource(host, note)) ?? [],
        asOf,
        pool: host?.budget && isAsked ? await poolWith(host, request.body, callerOf(request).user) : null,
      }
    },
  )

  async function poolWith({ id: hostId }: KnownHost, entry: AdviceBody, user: Caller['user']): Promise<Pool | null> {
    const { id, url, interval = null, quiet = null, status = true } = entry
    const saved = id === undefined ? undefined : await entryStore(db).get(tool, id, user)
    const { ownerId, createdAt } = saved ?? { ownerId: user.id, createdAt: now() }
    async function* pinged() {
      yield* listPingedApps(db, ownerId, { defaultInterval, without: id })
      if (status)
        yield { url, quiet, every: intervalByHost({ url, interval }, defaultInterval), turnAt: now(), createdAt }
    }
    const pools = await inTurn(user.id, pinged)
    return pools.find(({ host }) => host.id === hostId) ?? null
  }

  route(
    'GET /api/v1/keepalive/forecast',
    {
      ...guard('Tools', 1, 'read'),
      summary: "Forecast this month's use of hosts' free hours",
      description:
        'Covers all your active entries for the whole calendar month in UTC, each from its creation on. An app is awake from the first ping until its idle time after the last one. Quiet hours use their own time zone.',
    },
    async (request) => {
      const { id } = callerOf(request).user
      return inTurn(id, () => listPingedApps(db, id, { defaultInterval }))
    },
  )

  route(
    'GET /api/v1/keepalive/certificates',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'List the certificates that expire next',
      description: `Covers active entries whose certificates expire within ${soonDays} days: at most ${mostExpiring}, the earliest first.`,
    },
    (request) => certificateStore(db, db.q).listExpiring(callerOf(request).user, now()),
  )
}

const PaceSettings = z.pick(keepalive.Settings, { url: true, interval: true, quiet: true })

const budgetedDomains = knownHosts.filter(({ budget }) => budget).flatMap(({ domains }) => domains)

/** Matches entries whose search text contains a host name below these domains; their URL may have another host. */
export const matchesDomains = (db: Db, domains: readonly string[]) =>
  sql<boolean>`(${sql.join(
    domains.map((domain) => contains(db, sql.ref('entry.search'), `.${domain}`)),
    sql` or `,
  )})`

/** The number of entries whose settings are parsed within a few milliseconds. */
const batchSize = 500

/** Yields an owner's active entries whose host may count hours, with the fields that the forecast needs. */
async function* listPingedApps(
  db: Db,
  ownerId: string,
  { defaultInterval, without }: { defaultInterval: Milliseconds; without?: string | undefined },
): AsyncGenerator<PingedApp> {
  const rows = await db.longRead(sql<{ id: string; settings: string; turnAt: number | null; createdAt: number }>`
    select entry.id as id, entry.settings as settings, entry.created_at as "createdAt", job.turn_at as "turnAt"
    from entry left join job on job.entry_id = entry.id and job.kind = 'turn'
    where ${toolOfOwned} = ${keepalive.id} and entry.owner_id = ${ownerId} and entry.status = 1
      and ${matchesDomains(db, budgetedDomains)}`)
  for (const [count, { id, settings, turnAt, createdAt }] of rows.entries()) {
    if (count % batchSize === batchSize - 1) await setImmediate()
    const paced = PaceSettings.safeParse({ ...newerDefaults, ...JSON.parse(settings) })
    if (id === without || !paced.success) continue
    const { url, quiet } = paced.data
    yield { url, quiet, every: intervalByHost(paced.data, defaultInterval), turnAt: turnAt ?? createdAt, createdAt }
  }
}

/** A time span; the end is exclusive. */
type Span = readonly [from: Instant, to: Instant]

type PingSchedule = {
  every: Milliseconds
  /** The time without a ping after which the app falls asleep. */
  sleepsAfter: Milliseconds
  /** The spans without pings, in order; adjoining spans are merged. */
  quiet: readonly Span[]
  /** The time of any past or future turn at the fixed rate. */
  turnAt: Instant
  /** No ping was sent before this. */
  createdAt: Instant
}

/** Marks the minutes since `from` in which pings keep an app awake: a ping keeps it awake for its idle time. */
function markAwake(awakeMinutes: Uint8Array, from: Instant, pinged: PingSchedule): void {
  const { every, sleepsAfter, quiet, turnAt, createdAt } = pinged
  const minuteOf = (at: Instant) => Math.round((at - from) / minutes(1))
  const mark = (first: Instant, last: Instant) =>
    awakeMinutes.fill(1, Math.max(0, minuteOf(first)), Math.max(0, minuteOf(last + sleepsAfter)))
  const to = from + awakeMinutes.length * minutes(1)
  // A ping before `from` may still keep the app awake.
  const since = Math.max(from - sleepsAfter, createdAt)
  let turn = turnAt - Math.floor((turnAt - since) / every) * every
  for (const [opens, closes] of subtractSpans(quiet, [since, to])) {
    // Like the job queue: a turn in quiet hours waits for their end, and the next one isn't too close to it.
    if (turn < opens) {
      mark(opens, opens)
      const next = turn + (Math.floor((opens - turn) / every) + 1) * every
      turn = next - opens < every / 2 ? opens + every : next
    }
    const turns = Math.ceil((closes - turn) / every)
    if (turns <= 0) continue
    if (every <= sleepsAfter) mark(turn, turn + (turns - 1) * every)
    else for (let count = 0; count < turns; count += 1) mark(turn + count * every, turn + count * every)
    turn += turns * every
  }
}

/** The parts of a span that don't overlap with these spans. */
function subtractSpans(quiet: readonly Span[], [from, to]: Span): Span[] {
  const spans: Span[] = []
  let at = from
  for (const [begins, ends] of quiet) {
    if (begins > at) spans.push([at, Math.min(begins, to)])
    at = Math.max(at, ends)
    if (at >= to) return spans
  }
  return [...spans, [at, to]]
}

export type PingedApp = Omit<PingSchedule, 'sleepsAfter' | 'quiet'> & { url: string; quiet: Quiet | null }

/** The calendar month of an instant in UTC, which hosts use. */
export function monthOf(at: Instant): Span {
  const date = new Date(at)
  const firstOf = (month: number) => Date.UTC(date.getUTCFullYear(), month)
  return [firstOf(date.getUTCMonth()), firstOf(date.getUTCMonth() + 1)]
}

type Budgeted = KnownHost & { sleepsAfter: number; budget: NonNullable<KnownHost['budget']> }
const isBudgeted = (host: KnownHost | undefined): host is Budgeted =>
  host?.budget !== undefined && host.sleepsAfter !== undefined

type Apps = Map<string, PingedApp[]>

/** Forecasts a pool for each host whose free hours these entries use, the most used first. */
export async function poolsOf(pinged: AsyncIterable<PingedApp> | readonly PingedApp[], now: Instant): Promise<Pool[]> {
  const byHost = new Map<Budgeted, Apps>()
  for await (const one of pinged) {
    const host = hostOf(one.url)
    if (!isBudgeted(host)) continue
    const apps: Apps = byHost.get(host) ?? new Map()
    const app = appOf(one.url)
    const entriesOfApp = apps.get(app) ?? []
    entriesOfApp.push(one)
    byHost.set(host, apps.set(app, entriesOfApp))
  }
  const pools: Pool[] = []
  for (const [host, apps] of byHost) pools.push(await poolOf(host, apps, now))
  return pools.toSorted((one, other) => other.hours / other.budget.hours - one.hours / one.budget.hours)
}

async function poolOf(host: Budgeted, apps: Apps, now: Instant): Promise<Pool> {
  const month = monthOf(now)
  const sleepsAfter = minutes(host.sleepsAfter)
  const byDay = dailyTotals(month, now)
  const quietOf = quietIn([month[0] - sleepsAfter, month[1]])
  const awakeMinutes = new Uint8Array((month[1] - month[0]) / minutes(1))
  let always = 0
  for (const entriesOfApp of apps.values()) {
    if (entriesOfApp.some((one) => one.quiet === null && one.every <= sleepsAfter && one.createdAt <= month[0])) {
      always += 1
      continue
    }
    awakeMinutes.fill(0)
    for (const one of entriesOfApp) markAwake(awakeMinutes, month[0], { ...one, sleepsAfter, quiet: quietOf(one) })
    byDay.add(awakeMinutes)
    // Let other requests run between the apps of a user who has a thousand.
    await setImmediate()
  }
  byDay.addWhole(always)
  const total = byDay.total()
  const exceedsBudget = total > hours(host.budget.hours)
  return {
    host: { id: host.id, name: host.name },
    entries: [...apps.values()].reduce((sum, entries) => sum + entries.length, 0),
    apps: apps.size,
    hours: toHours(total),
    used: toHours(byDay.used()),
    budget: host.budget,
    over: exceedsBudget,
    runsOutAt: exceedsBudget ? byDay.reachedAt(hours(host.budget.hours)) : null,
    quiet: exceedsBudget ? suggestQuietHours(host.budget.hours, apps.size, sleepsAfter) : null,
  }
}

/** Returns a cached lookup of the spans of quiet hours, because many entries have the same ones. */
function quietIn([from, to]: Span) {
  const cache = new Map<string, readonly Span[]>()
  return ({ quiet }: PingedApp): readonly Span[] => {
    if (quiet === null) return []
    const key = JSON.stringify(quiet)
    const spans = cache.get(key) ?? quietBetween(quiet, from, to)
    cache.set(key, spans)
    return spans
  }
}

const toHours = (time: number) => Math.round((time / hours(1)) * 10) / 10

/** Sums marked minutes by day, and those up to now. */
function dailyTotals([from, to]: Span, now: Instant) {
  const sums: Milliseconds[] = Array.from({ length: (to - from) / days(1) }, () => 0)
  const perDay = days(1) / minutes(1)
  const past = (now - from) / minutes(1)
  let used: Milliseconds = 0
  return {
    add(awakeMinutes: Uint8Array) {
      for (const [day, sum] of sums.entries()) {
        let marked = 0
        for (let minute = day * perDay; minute < (day + 1) * perDay; minute += 1) {
          marked += awakeMinutes[minute] ?? 0
          if (minute < past) used += minutes(awakeMinutes[minute] ?? 0)
        }
        sums[day] = sum + minutes(marked)
      }
    },
    addWhole(apps: number) {
      for (const [day, sum] of sums.entries()) sums[day] = sum + apps * days(1)
      used += apps * (now - from)
    },
    total: () => sums.reduce((sum, one) => sum + one, 0),
    used: () => used,
    /** When the sum reaches the limit, assuming that the minutes of a day are spread evenly. */
    reachedAt(limit: Milliseconds): Instant {
      let remaining = limit
      for (const [day, one] of sums.entries()) {
        if (one >= remaining) return from + Math.floor((day + remaining / one) * days(1))
        remaining -= one
      }
      return to
    },
  }
}

const longestMonth = 31
const step = minutes(15)
const shortestDay = hours(1)
const wakesAt = hours(7)

/** The shortest quiet hours until the morning with which a month's hours suffice for these apps; null if none do. */
function suggestQuietHours(budget: number, apps: number, sleepsAfter: Milliseconds): Pool['quiet'] {
  // One hour less, because a night may be longer by an hour when clocks are set back.
  const awake = (hours(budget / apps) - hours(1)) / longestMonth
  const pinged = Math.floor((awake - sleepsAfter) / step) * step
  if (pinged < shortestDay || pinged >= hours(24)) return null
  return { from: timeOf(wakesAt + pinged), to: timeOf(wakesAt) }
}

/** Formats the time since a midnight: `18:45`. */
const timeOf = (time: Milliseconds): string => new Date(time).toISOString().slice(11, 16)
