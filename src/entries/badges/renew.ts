import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { EntryId } from '../contract.ts'
import { entryStore } from '../store.ts'
import { changedEntry } from '../stored-entry.ts'
import type { AnyEntryToolServer } from '../tool-server.ts'
import type { BadgeAddresses } from './addresses.ts'

/** The call that gives an entry's badges a new address; the old one is a 404 from then on. */
export function renewBadgeRoute(
  app: App,
  { contract }: AnyEntryToolServer,
  { db, events, badges }: Pick<Context, 'db' | 'events'> & { badges: BadgeAddresses },
): void {
  app.post(
    `${contract.path}/badge`,
    {
      ...guard('Tools', 1),
      schema: {
        tags: [contract.label],
        summary: "Make a new address for an entry's badges",
        description: 'The old address stops working.',
        failures: { 404: 'Entry not found.' },
        querystring: EntryId,
        response: { 200: z.object({ badge: z.string() }) },
      },
    },
    async (request) => {
      const { id } = request.query
      const { ownerId } = await entryStore(db).get(contract.id, id, callerOf(request).user)
      const { badge_version: version } = await db.q
        .updateTable('entry')
        .set(({ eb }) => ({ badge_version: eb('badge_version', '+', 1) }))
        .where('id', '=', id)
        .returning('badge_version')
        .executeTakeFirstOrThrow()
      events.publish([changedEntry(contract.id, id, ownerId)])
      return { badge: await badges.of({ id, version }) }
    },
  )
}
