import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/write.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import { type Activity, AuditEntry, activityPage, auditPage, Change } from './contract.ts'
import { readFailures } from './trail.ts'

const auditKeptFor: Milliseconds = days(400)
const Changes = z.array(Change)
const { action: Action } = AuditEntry.shape

type Range = { before?: Instant; limit?: number } | { at: Instant }
type Source = (range: Range) => Promise<AuditEntry[]>
type Chosen = { by?: string; onlyTo?: string }

/** Reads the whole log, the actions `by` one user, or the actions of others on the user `onlyTo`. */
const entries =
  (q: Queries, { by, onlyTo }: Chosen): Source =>
  async (range) => {
    let query = q.selectFrom('audit').selectAll().orderBy('at', 'desc').orderBy('id', 'desc')
    if (by !== undefined) query = query.where('actor_id', '=', by)
    if (onlyTo !== undefined)
      query = query
        .where('target_id', '=', onlyTo)
        .where((eb) => eb.or([eb('actor_id', 'is', null), eb('actor_id', '!=', onlyTo)]))
    if ('at' in range) query = query.where('at', '=', range.at)
    else {
      if (range.before !== undefined) query = query.where('at', '<', range.before)
      if (range.limit !== undefined) query = query.limit(range.limit)
    }
    const rows = await query.execute()
    return rows.map(({ actor_id, target_id, ...row }) => ({
      ...row,
      actorId: actor_id,
      targetId: target_id,
      action: Action.parse(row.action),
      changes: Changes.parse(JSON.parse(row.changes)),
    }))
  }

const newestFirst = (a: AuditEntry, b: AuditEntry) => b.at - a.at || (a.id < b.id ? 1 : -1)

/** Merges these sources into a page of entries older than `before`, newest first, including all of its last instant. */
async function pageOf(sources: readonly Source[], before: Instant | undefined, size: number): Promise<AuditEntry[]> {
  const read = async (range: Range) =>
    (await Promise.all(sources.map((source) => source(range)))).flat().toSorted(newestFirst)
  const page = (await read({ limit: size, ...(before === undefined ? {} : { before }) })).slice(0, size)
  const last = page.at(-1)
  if (!last || page.length < size) return page
  return [...page.filter(({ at }) => at > last.at), ...(await read({ at: last.at }))]
}

export const readAudit = (q: Queries, before: Instant | undefined): Promise<AuditEntry[]> =>
  pageOf([entries(q, {}), (range) => readFailures(q, range)], before, auditPage)

/** A page of a user's own actions, failed sign-ins to their account, and actions of others on it. */
export async function readActivity(q: Queries, userId: string, before: Instant | undefined): Promise<Activity[]> {
  const own = [entries(q, { by: userId }), (range: Range) => readFailures(q, { ...range, userId })]
  const page = await pageOf([...own, entries(q, { onlyTo: userId })], before, activityPage)
  return page.map(({ actor: _, actorId, targetId, ...entry }) => {
    const byYou = actorId === userId
    const target = targetId === userId ? null : entry.target
    return byYou ? { ...entry, target, byYou } : { ...entry, target, byYou, address: null, device: null }
  })
}

/** Deletes entries older than 400 days; no other entry is ever deleted. */
export async function deleteOldAudit(q: Queries, now: Instant): Promise<void> {
  await deleteInBatches(q, 'audit', { key: ['id'], where: sql`at < ${now - auditKeptFor}` })
}
