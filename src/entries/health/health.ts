import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import type { Notice } from '../../platform/notice.ts'
import { HttpError, notFound } from '../../shared/http-error.ts'
import { mostIncidents } from '../../shared/list-terms.ts'
import { Active } from '../../shared/user.ts'
import { crossToolCalls } from '../contract.ts'
import { noticeUrl } from '../runs/record.ts'
import { calledUrlOf } from '../settings.ts'
import { canSeeAll, entryStore } from '../store.ts'
import { awakeOf, entryChanged } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'

/** Number of open incidents that are returned with their recent runs. */
const mostWithRuns = 20
/** Limit on incidents of one instant: up to this many entries can share one rejected webhook. */
const mostOfInstant = 1_000

export function incidentRoutes(app: App, { db, now, events }: Pick<Context, 'db' | 'now' | 'events'>): void {
  const route = routesOf(app, crossToolCalls, 'Incidents')
  route(
    'GET /api/v1/incidents',
    {
      ...guard('Tools', 1, 'read'),
      summary: `List the newest ${mostIncidents} incidents`,
      description: [
        'With `open`, only open (true) or closed (false) incidents; with `id`, only those of one entry. `before` is',
        'exclusive: pass the last `openedAt` to get older incidents. Incidents of one instant are returned together.',
      ].join(' '),
    },
    async (request) => {
      const { user } = callerOf(request)
      const { open, id, before } = request.query
      const found = () =>
        db.q
          .selectFrom('incident')
          .innerJoin('entry', 'entry.id', 'incident.entry_id')
          .innerJoin('users', 'users.id', 'entry.owner_id')
          .select(['incident.id', 'entry.id as entry', 'entry.tool', 'entry.name', 'entry.about', 'incident.since'])
          .select(['incident.opened_at as openedAt', 'incident.closed_at as closedAt', 'incident.cause'])
          .select(['incident.note', 'incident.noted_at as notedAt'])
          .select(['entry.blocked_at', 'entry.awake'])
          .$if(!canSeeAll(user), (query) => query.where('entry.owner_id', '=', user.id))
          .$if(id !== undefined, (query) => query.where('entry.id', '=', id ?? ''))
          // Incidents of paused entries, including all entries of an inactive owner, don't count as open.
          .$if(open === 'true', (query) =>
            query.where('closed_at', 'is', null).where('entry.status', '=', 1).where('users.status', '=', Active),
          )
          .$if(open === 'false', (query) => query.where('closed_at', 'is not', null))
          .orderBy(sql`incident.opened_at`, 'desc')
          .orderBy('incident.id')
      const page = await found()
        .$if(before !== undefined, (query) => query.where('incident.opened_at', '<', before ?? 0))
        .limit(mostIncidents)
        .execute()
      const runs =
        open === 'true'
          ? await entryStore(db).recentRunsJson(
              page.slice(0, mostWithRuns).map(({ entry }) => entry),
              now(),
            )
          : undefined
      const toIncident = ({ blocked_at, awake, ...incident }: (typeof page)[number]) => {
        const recent = runs?.get(incident.entry)
        return {
          ...incident,
          blocked: blocked_at !== null,
          awake: awakeOf(awake),
          ...(recent !== undefined && { recent: JSON.parse(recent) }),
        }
      }
      const last = page[mostIncidents - 1]
      if (!last) return page.map(toIncident)
      // `before` is exclusive, so the next page would skip the other incidents of this instant.
      const also = await found()
        .where('incident.opened_at', '=', last.openedAt)
        .where('incident.id', '>', last.id)
        .limit(mostOfInstant)
        .execute()
      return [...page, ...also].map(toIncident)
    },
  )

  route(
    'PATCH /api/v1/incidents',
    {
      ...guard('Tools', 1, 'write'),
      summary: "Set an incident's note",
      description:
        "The owner's status page shows the note if the entry is on it. An empty note or null removes the note.",
      failures: [404],
    },
    async (request) => {
      const { user } = callerOf(request)
      const { id, note } = request.body
      const find = async (q: Queries) => {
        const found = await q
          .selectFrom('incident')
          .innerJoin('entry', 'entry.id', 'incident.entry_id')
          .select(['entry.id', 'entry.tool', 'entry.owner_id'])
          .where('incident.id', '=', id)
          .$if(!canSeeAll(user), (query) => query.where('entry.owner_id', '=', user.id))
          .executeTakeFirst()
        if (!found) throw notFound('Incident')
        // The note appears on the owner's page in the owner's name.
        if (found.owner_id !== user.id) throw new HttpError(403, "Only the entry's owner can write this note.")
        return found
      }
      const entry = await find(db.q)
      const notedAt = note === null ? null : now()
      await transact(db, async (tx) => {
        await lockEntry(db, tx, entry.id)
        await find(tx)
        await tx.updateTable('incident').set({ note, noted_at: notedAt }).where('id', '=', id).execute()
      })
      events.publish([entryChanged(entry.tool, entry.id, user.id)])
      return { id, note, notedAt }
    },
  )
}

/** Notices for the owner's active entries that have an open incident, oldest first. */
export async function stillFailing(
  context: Context,
  tools: ReadonlyMap<string, AnyEntryToolServer>,
  ownerId: string,
): Promise<Notice[]> {
  const rows = await context.db.q
    .selectFrom('incident')
    .innerJoin('entry', 'entry.id', 'incident.entry_id')
    .select(['entry.id', 'entry.tool', 'entry.name', 'entry.about', 'entry.settings', 'entry.blocked_at'])
    .select(['incident.since', 'incident.cause'])
    .where('entry.owner_id', '=', ownerId)
    .where('entry.status', '=', 1)
    .where('incident.closed_at', 'is', null)
    .orderBy('incident.since')
    .orderBy('incident.id')
    .execute()
  return rows.map(({ settings, blocked_at, since, cause, ...row }) => {
    const tool = tools.get(row.tool)
    const called = tool && calledUrlOf(tool, settings, context)
    const entry = { ...row, url: noticeUrl(context.config, { ...row, called }) }
    return { type: blocked_at === null ? 'failing' : 'blocked', ownerId, entry, since, cause }
  })
}
