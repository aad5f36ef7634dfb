import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/delete-in-batches.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import { AuditEntry, auditPage, Change } from './contract.ts'

const auditKeptFor: Milliseconds = days(400)
const Changes = z.array(Change)
const { action: Action } = AuditEntry.shape

const newestFirst = (q: Queries) => q.selectFrom('audit').selectAll().orderBy('at', 'desc').orderBy('id', 'desc')

/** A page of the log before this instant, newest first, with all entries of its last instant. */
export async function readAudit(q: Queries, before: Instant | undefined): Promise<AuditEntry[]> {
  const page = newestFirst(q).limit(auditPage)
  const rows = await (before === undefined ? page : page.where('at', '<', before)).execute()
  const last = rows.at(-1)
  if (last && rows.length === auditPage)
    rows.push(...(await newestFirst(q).where('at', '=', last.at).where('id', '<', last.id).execute()))
  return rows.map(({ actor_id, target_id, ...row }) => ({
    ...row,
    actorId: actor_id,
    targetId: target_id,
    action: Action.parse(row.action),
    changes: Changes.parse(JSON.parse(row.changes)),
  }))
}

/** Deletes entries older than 400 days; no other entry is ever deleted. */
export async function deleteOldAudit(q: Queries, now: Instant): Promise<void> {
  await deleteInBatches(q, 'audit', { key: ['id'], where: sql`at < ${now - auditKeptFor}` })
}
