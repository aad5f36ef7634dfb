import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/write.ts'
import type { Bool } from '../../platform/db/tables.ts'
import type { NamedEntry, Notice } from '../../platform/notice.ts'
import { days, type Instant } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'

const incidentsKeptFor = days(400)
const mostIncidents = 1_000

/** `fails` counts the failures in a row. */
export type EndedRun = {
  entry: NamedEntry
  ownerId: string
  at: Instant
  success: boolean
  note: string | undefined
  isOurs?: boolean
  active: boolean
  fails: number
  notifyAfter: number
  failingSince: Instant | null
  blockedAt: Instant | null
  incidentId: string | null
}

/** Opens and closes incidents after these runs, also of entries blocked while paused. Returns the notices to send. */
export async function updateIncidents(db: Db, tx: Queries, runs: readonly EndedRun[]): Promise<Notice[]> {
  const failing = runs.filter(
    ({ success, active, isOurs, incidentId, fails, notifyAfter, blockedAt }) =>
      !success && active && !isOurs && !incidentId && (fails >= notifyAfter || blockedAt !== null),
  )
  const working = runs.filter((run) => run.success && run.incidentId !== null)
  const opened = failing.map((run) => {
    const type = run.blockedAt === null ? ('failing' as const) : ('blocked' as const)
    return { ...run, type, since: run.blockedAt ?? run.failingSince ?? run.at, cause: run.note ?? 'failed' }
  })
  await open(db, tx, opened)
  const closed = await close(db, tx, working)
  return [
    ...opened.map(({ type, entry, ownerId, since, cause }) => ({ type, entry, ownerId, since, cause })),
    ...working.flatMap(({ entry, ownerId }) => {
      const was = closed.get(entry.id)
      return was ? [{ type: 'recovered' as const, entry, ownerId, since: was.since, cause: was.cause }] : []
    }),
  ]
}

/** Whether an entry and its owner are active; a paused entry opens no incident. */
export const isActive = sql<Bool>`(select case when entry.status = 1 and users.status = ${sql.lit(Active)} then 1 else 0 end
  from users where users.id = entry.owner_id)`

type Opening = { entry: Pick<NamedEntry, 'id'>; since: Instant; at: Instant; cause: string }

async function open(db: Db, tx: Queries, incidents: readonly Opening[]) {
  if (incidents.length === 0) return
  const rows = incidents.map(({ entry, since, at, cause }) => {
    // `since` can be later than `at` if the clock was set back.
    return { id: randomUUID(), entry_id: entry.id, since: Math.min(since, at), opened_at: at, cause }
  })
  const columns = { id: 'text', entry_id: 'text', since: 'bigint', opened_at: 'bigint', cause: 'text' } as const
  const batch = db.rows('opened', columns, rows)
  await sql`insert into incident (id, entry_id, since, opened_at, cause)
    select id, entry_id, since, opened_at, cause from ${batch} where true`.execute(tx)
  await sql`update entry set incident_id = opened.id from ${batch} where entry.id = opened.entry_id`.execute(tx)
  // Limits the incidents of an entry that keeps failing and recovering: deletes the oldest.
  await sql`
    delete from incident where closed_at is not null and id in (
      select old.id from ${batch} join incident as old on old.entry_id = opened.entry_id
      where old.opened_at <= (
        select kept.opened_at from incident as kept where kept.entry_id = opened.entry_id
        order by kept.opened_at desc limit 1 offset ${sql.lit(mostIncidents)}))`.execute(tx)
}

async function close(db: Db, tx: Queries, working: readonly { entry: { id: string }; at: Instant }[]) {
  if (working.length === 0) return new Map<string, { since: Instant; cause: string }>()
  const recoveries = working.map(({ entry: { id }, at }) => ({ id, at }))
  const batch = db.rows('ended', { id: 'text', at: 'bigint' }, recoveries)
  const { rows } = await sql<{ id: string; since: Instant; cause: string }>`
    update incident set closed_at = case when ended.at > incident.opened_at then ended.at else incident.opened_at end
    from ${batch} where incident.entry_id = ended.id and incident.closed_at is null
    returning incident.entry_id as id, incident.since as since, incident.cause as cause`.execute(tx)
  const ids = recoveries.map(({ id }) => id)
  await sql`update entry set incident_id = null where ${db.isOneOf('id', ids)}`.execute(tx)
  return new Map(rows.map(({ id, ...was }) => [id, was]))
}

/** Opens an incident for each active entry that was not blocked and has none open. Returns the notices to send. */
export async function blockEntries(
  db: Db,
  tx: Queries,
  entries: readonly { entry: NamedEntry; ownerId: string }[],
  { at, cause }: { at: Instant; cause: string },
): Promise<Notice[]> {
  const ids = entries.map(({ entry }) => entry.id)
  const rows = await tx
    .updateTable('entry')
    .set({ blocked_at: at })
    .where(db.isOneOf('id', ids))
    .where('blocked_at', 'is', null)
    .returning(['id', 'incident_id', isActive.as('active')])
    .execute()
  const blocked = new Map(rows.flatMap((row) => (row.active === 1 ? [[row.id, row.incident_id]] : [])))
  const news = entries.filter(({ entry }) => blocked.has(entry.id))
  const fresh = news.filter(({ entry }) => blocked.get(entry.id) === null)
  const opened = fresh.map(({ entry }) => ({ entry, since: at, at, cause }))
  await open(db, tx, opened)
  return news.map(({ entry, ownerId }) => ({ type: 'blocked', entry, ownerId, since: at, cause }))
}

/** Closes the incident of an entry that is being paused, without a notice. A blocked entry's incident stays open. */
export async function pauseIncident(db: Db, tx: Queries, entryId: string, at: Instant): Promise<void> {
  const blocked = tx.selectFrom('entry').select('id').where('id', '=', entryId).where('blocked_at', 'is not', null)
  if (await blocked.executeTakeFirst()) return
  await close(db, tx, [{ entry: { id: entryId }, at }])
}

/** Unblocks an entry that gets another target or only reminds from now on, and closes its incident without a notice. */
export async function forgetIncident(db: Db, tx: Queries, entryId: string, at: Instant): Promise<void> {
  await tx.updateTable('entry').set({ blocked_at: null }).where('id', '=', entryId).execute()
  await close(db, tx, [{ entry: { id: entryId }, at }])
}

export async function cleanUpIncidents({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const where = sql<boolean>`closed_at < ${now() - incidentsKeptFor}`
  await deleteInBatches(db.q, 'incident', { key: ['id'], where })
}
