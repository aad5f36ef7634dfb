import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { entryStore, toolOfOwned } from '../../../entries/store.ts'
import type { Context } from '../../../platform/context.ts'
import { contains } from '../../../platform/db/list/match.ts'
import type { Db } from '../../../platform/db/open.ts'
import { fairQueue } from '../../../platform/fair-queue.ts'
import { callerOf, guard } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { routesOf } from '../../../platform/http/calls.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import type { KeepaliveConfig } from '../config.ts'
import { type Advice, type AdviceBody, hostCalls, keepalive, type Pool } from '../contract.ts'
import { type PingedApp, poolsOf } from './forecast.ts'
import { asOf, everyOf, hostOf, type KnownHost, knownHosts, recommended } from './terms.ts'

/** The calls about hosts that put apps to sleep: what is known of one, and the free hours that pings take this month. */
export function hostRoutes(app: App, { config, db, now }: Context<KeepaliveConfig>): void {
  const { label, id: tool } = keepalive
  const route = routesOf(app, hostCalls, label)
  const usual = config.keepaliveEvery
  // Ten thousand entries keep a core busy for a second: one forecast at a time, owners in turn.
  const turns = fairQueue({ most: 1 })
  const inTurn = (userId: string, pinged: () => AsyncIterable<PingedApp>): Promise<Pool[]> =>
    turns.run(userId, () => poolsOf(pinged(), now()))

  route(
    'POST /api/v1/keepalive/advice',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Tell what is known of the host of a URL',
      failures: { 404: 'Entry not found.' },
      description:
        'The host is recognised by the address alone; nothing is visited. With interval, quiet, status or id, `pool` says what such an entry would leave of the free hours.',
    },
    async (request): Promise<Advice> => {
      const { url, ...entry } = request.body
      const host = hostOf(url)
      const isAsked = Object.keys(entry).length > 0
      return {
        host: host ? { id: host.id, name: host.name } : null,
        interval: recommended(host, usual) / minutes(1),
        sleepsAfter: host?.sleepsAfter ?? null,
        budget: host?.budget ?? null,
        notes: host?.notes.map(({ text }) => text) ?? [],
        asOf,
        pool: host?.budget && isAsked ? await poolWith(host, request.body, callerOf(request).user) : null,
      }
    },
  )

  /** The pool of a host once this entry is saved. */
  async function poolWith({ id: hostId }: KnownHost, entry: AdviceBody, user: Caller['user']): Promise<Pool | null> {
    const { id, url, interval = null, quiet = null, status = true } = entry
    const ownerId = id === undefined ? user.id : (await entryStore(db).get(tool, id, user)).ownerId
    async function* pinged() {
      yield* pingedBy(db, ownerId, { usual, without: id })
      if (status) yield { url, quiet, every: everyOf({ url, interval }, usual), turnAt: now() }
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
        'By all your active entries, for the whole calendar month in UTC. An app is awake from the first ping to its idle time after the last; quiet hours are those of their own zone.',
    },
    async (request) => {
      const { id } = callerOf(request).user
      return inTurn(id, () => pingedBy(db, id, { usual }))
    },
  )
}

/** What settings have that are older than quiet hours. */
const Paced = z.extend(z.pick(keepalive.Settings, { url: true, interval: true }), {
  quiet: z._default(z.pick(keepalive.Settings, { quiet: true }).shape.quiet, null),
})

const pooled = knownHosts.filter(({ budget }) => budget !== null).flatMap(({ domains }) => domains)

/** The number of settings that are read within some milliseconds. */
const atOnce = 500

/** The active entries of an owner whose host may count hours, and by no more than what counts for that. */
async function* pingedBy(
  db: Db,
  ownerId: string,
  { usual, without }: { usual: Milliseconds; without?: string | undefined },
): AsyncGenerator<PingedApp> {
  const rows = await db.longRead(sql<{ id: string; settings: string; turnAt: number | null; createdAt: number }>`
    select entry.id as id, entry.settings as settings, entry.created_at as "createdAt", job.turn_at as "turnAt"
    from entry left join job on job.entry_id = entry.id and job.kind = 'turn'
    where ${toolOfOwned} = ${keepalive.id} and entry.owner_id = ${ownerId} and entry.status = 1
      and (${sql.join(
        pooled.map((domain) => contains(db, sql.ref('entry.search'), `.${domain}`)),
        sql` or `,
      )})`)
  for (const [count, { id, settings, turnAt, createdAt }] of rows.entries()) {
    if (count % atOnce === atOnce - 1) await setImmediate()
    const paced = Paced.safeParse(JSON.parse(settings))
    if (id === without || !paced.success) continue
    const { url, quiet } = paced.data
    yield { url, quiet, every: everyOf(paced.data, usual), turnAt: turnAt ?? createdAt }
  }
}
