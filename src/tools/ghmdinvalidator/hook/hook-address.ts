import * as z from 'zod/mini'
import { createToken } from '../../../entries/address.ts'
import { entryChange } from '../../../entries/edit/audit.ts'
import { entryStore } from '../../../entries/store.ts'
import { changedEntry } from '../../../entries/stored-entry.ts'
import type { Context } from '../../../platform/context.ts'
import { lockEntry } from '../../../platform/db/locks.ts'
import type { By } from '../../../platform/http/access/actor.ts'
import { ghmdinvalidator } from '../contract.ts'

const Kept = z.object({ token: z.string() })

/** The secret URL of an entry's hook, made of its stored settings. */
export const hookUrlOf = (kept: unknown, { config, secrets }: Pick<Context, 'config' | 'secrets'>): string =>
  `${config.baseUrl}/hooks/ghmd/${secrets.open(Kept.parse(kept).token)}`

/** Gives an entry's hook a new URL; the old one stops working at once. Throws a 404. */
export async function renewHook(context: Context, by: By, id: string): Promise<string> {
  const { address, kept } = createToken(context)
  const ownerId = await context.db.q.transaction().execute(async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const { name, settings, ownerId, owner } = await entries.get(ghmdinvalidator.id, id, by.user)
    await tx
      .updateTable('entry')
      .set({ address, settings: JSON.stringify({ ...Object(settings), ...kept }) })
      .where('id', '=', id)
      .execute()
    await context.audit(tx, {
      actor: by.actor,
      action: 'hook.renew',
      target: { id: ownerId, name: owner },
      changes: [entryChange(ghmdinvalidator.noun, { id, name })],
    })
    return ownerId
  })
  context.events.publish([changedEntry(ghmdinvalidator.id, id, ownerId)])
  return hookUrlOf(kept, context)
}
