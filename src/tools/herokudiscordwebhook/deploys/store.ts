import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/delete-in-batches.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { days, type Instant } from '../../../shared/time.ts'
import { MessageId } from '../message/discord.ts'
import { firstIdOf } from '../queue/store.ts'
import { Facts } from './facts.ts'
import type { DeployCard } from './place.ts'

/** How many cards an entry keeps, and for how long after their last event. */
const mostKept = 200
const keptFor = days(30)
/** Which cards may be meant without being named, and how many of them are looked at. */
const recent = days(1)
const mostRecent = 50

export function cardStore(q: Queries) {
  const ofEntry = (entryId: string) => q.selectFrom('relay_card').where('entry_id', '=', entryId)

  return {
    /** The cards of an entry that this may be about: those that have something in common with it, and those of the last day. */
    async near(entryId: string, { build, release }: Facts, now: Instant): Promise<DeployCard[]> {
      const releases = [release?.id, build?.release].filter((id) => id !== undefined)
      const slugs = [release?.slug, build?.slug].filter((id) => id !== undefined)
      const named = sql<number>`case when ${sql.join(
        [
          sql`build_id = ${build?.id ?? null}`,
          ...releases.map((id) => sql`release_id = ${id}`),
          ...slugs.map((id) => sql`slug_id = ${id}`),
        ],
        sql` or `,
      )} then 1 else 0 end`
      const rows = await ofEntry(entryId)
        .selectAll()
        .where((eb) => eb.or([eb(named, '=', 1), eb('id', '>', firstIdOf(now - recent))]))
        .orderBy(named, 'desc')
        .orderBy('id', 'desc')
        .limit(mostRecent)
        .execute()
      return rows.flatMap(cardOf)
    },

    async write(entryId: string, card: DeployCard, at: Instant) {
      const row = rowOf(entryId, card, at)
      await q
        .insertInto('relay_card')
        .values(row)
        .onConflict((conflict) => conflict.columns(['entry_id', 'id']).doUpdateSet(row))
        .execute()
      const oldest = ofEntry(entryId).select('id').orderBy('id', 'desc').limit(1).offset(mostKept)
      await q.deleteFrom('relay_card').where('entry_id', '=', entryId).where('id', '<=', oldest).execute()
    },

    async remove(entryId: string, ids: readonly string[]) {
      if (ids.length > 0)
        await q.deleteFrom('relay_card').where('entry_id', '=', entryId).where('id', 'in', ids).execute()
    },

    /** Deletes the cards of which nothing was heard for long. */
    cleanUp: (now: Instant) =>
      deleteInBatches(q, 'relay_card', { key: ['entry_id', 'id'], where: sql`touched_at < ${now - keptFor}` }),
  }
}

/** A row may come from an import: what isn't valid is as if it weren't there. */
const Kept = z.object({
  message_id: z.catch(z.nullable(MessageId), null),
  told: z.catch(z.enum(['no', 'card', 'message']), 'no'),
  facts: z.pipe(
    z.string(),
    z.transform((text) => {
      try {
        return Facts.safeParse(JSON.parse(text)).data
      } catch {
        return undefined
      }
    }),
  ),
})

function cardOf(row: Tables['relay_card']): DeployCard[] {
  const { message_id: messageId, told, facts } = Kept.parse(row)
  if (!facts) return []
  const { id, webhook_id: webhookId, thread_id: threadId, edited_for: editedFor } = row
  return [{ id, webhookId, threadId, messageId, told, editedFor, facts }]
}

const rowOf = (entryId: string, card: DeployCard, at: Instant): Tables['relay_card'] => ({
  entry_id: entryId,
  id: card.id,
  webhook_id: card.webhookId,
  thread_id: card.threadId,
  message_id: card.messageId,
  told: card.told,
  edited_for: card.editedFor,
  build_id: card.facts.build?.id ?? null,
  release_id: card.facts.release?.id ?? card.facts.build?.release ?? null,
  slug_id: card.facts.release?.slug ?? card.facts.build?.slug ?? null,
  facts: JSON.stringify(card.facts),
  touched_at: at,
})
