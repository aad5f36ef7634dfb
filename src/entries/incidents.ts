import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Context } from '../platform/context.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { mostIncidents } from '../shared/incidents.ts'
import { Active } from '../shared/user.ts'
import { Incident } from './contract.ts'
import { seesAll } from './store.ts'

/** The call that lists the incidents of every tool's entries. */
export function incidentRoutes(app: App, { db }: Pick<Context, 'db'>): void {
  app.get(
    '/api/v1/incidents',
    {
      ...guard('Tools', 1),
      schema: {
        tags: ['Incidents'],
        summary: `List the newest ${mostIncidents} incidents`,
        description: 'With `open`, those that go on (true) or are over (false); with `id`, those of one entry.',
        querystring: z.strictObject({
          open: z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' })),
          id: z.optional(z.string()),
        }),
        response: { 200: z.array(Incident) },
      },
    },
    (request) => {
      const { user } = callerOf(request)
      const { open, id } = request.query
      return (
        db.q
          .selectFrom('incident')
          .innerJoin('entry', 'entry.id', 'incident.entry_id')
          .innerJoin('users', 'users.id', 'entry.owner_id')
          .select(['incident.id', 'entry.id as entry', 'entry.tool', 'entry.name', 'entry.about', 'incident.since'])
          .select(['incident.opened_at as openedAt', 'incident.closed_at as closedAt', 'incident.cause'])
          .$if(!seesAll(user), (query) => query.where('entry.owner_id', '=', user.id))
          .$if(id !== undefined, (query) => query.where('entry.id', '=', id ?? ''))
          // Paused entries, as all of an owner who may not sign in are, fail nobody.
          .$if(open === 'true', (query) =>
            query.where('closed_at', 'is', null).where('entry.status', '=', 1).where('users.status', '=', Active),
          )
          .$if(open === 'false', (query) => query.where('closed_at', 'is not', null))
          .orderBy(sql`incident.opened_at`, 'desc')
          .orderBy('incident.id')
          .limit(mostIncidents)
          .execute()
      )
    },
  )
}
