import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { toolOfOwned } from '../../../../entries/store.ts'
import { contains } from '../../../../platform/db/list/match.ts'
import type { Db } from '../../../../platform/db/open.ts'
import type { Milliseconds } from '../../../../shared/time.ts'
import { keepalive } from '../../contract.ts'
import { everyOf } from '../terms/interval.ts'
import { knownHosts } from '../terms/known-hosts.ts'
import type { PingedApp } from './pools.ts'

/** What settings have that are older than quiet hours. */
const Paced = z.extend(z.pick(keepalive.Settings, { url: true, interval: true }), {
  quiet: z._default(z.pick(keepalive.Settings, { quiet: true }).shape.quiet, null),
})

const pooled = knownHosts.filter(({ budget }) => budget !== null).flatMap(({ domains }) => domains)

/** So many settings are read within some milliseconds. */
const atOnce = 500

/** The active entries of an owner whose host may count hours, and by no more than what counts for that. */
export async function* pingedBy(
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
