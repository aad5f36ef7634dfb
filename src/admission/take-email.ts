import { randomBytes } from 'node:crypto'
import { type AuditRecord, writeAudit } from '../people/audit/log.ts'
import { lostEmail } from '../people/contract.ts'
import { markEdited } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import type { Actor } from '../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'

/** Who never proved the address that somebody else has proved or was invited with; the caller has locked them. */
type Loser = { id: string; email: string }

/** Gives a user an address that cannot exist instead of one that they never proved, and returns it. */
export async function takeEmail({ db, now }: Pick<Context, 'db' | 'now'>, tx: Queries, { id }: Loser): Promise<string> {
  const email = await freeLostEmail(tx, id)
  await tx.updateTable('users').set({ email }).where('id', '=', id).execute()
  await markEdited(db, tx, id, { by: null, at: now() })
  return email
}

/** Users could once enter such an address by hand, and must not keep anybody from the one that they have proved. */
async function freeLostEmail(tx: Queries, id: string): Promise<string> {
  const email = lostEmail(id)
  const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return holder ? lostEmail(`${id}.${randomBytes(8).toString('hex')}`) : email
}

/** Logs that this user lost their address, and tells them. */
export async function recordLoss(
  { now, notify }: Pick<Context, 'now' | 'notify'>,
  tx: Queries,
  actor: Actor,
  { id, email }: Loser,
  replaced: string,
): Promise<readonly LiveEvent[]> {
  const changes = [{ field: 'email', from: email, to: replaced }]
  const record: AuditRecord = { actor, action: 'user.edit', target: { id, name: email }, changes }
  await writeAudit(tx, now(), record)
  const message = `Someone else has proved that ${email} is theirs, or was invited with it, so your account no longer has an email.`
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast: 'warning' }]))]
}
