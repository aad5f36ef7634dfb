import { randomBytes } from 'node:crypto'
import { writeAudit } from '../people/audit/log.ts'
import { lostEmail } from '../people/contract.ts'
import { saveUser } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import type { Actor } from '../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'

/** Who never proved the address that somebody else has proved or was invited with; the caller has locked them. */
type Loser = { id: string; email: string }

/** Gives a user an address that cannot exist instead of one that they never proved, logs it as done by `actor`, and tells them. */
export async function takeEmail(
  { db, now, notify }: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { id, email }: Loser,
  actor: Actor,
): Promise<readonly LiveEvent[]> {
  const replaced = await freeLostEmail(tx, id)
  await saveUser(db, tx, id, { email: replaced }, { by: null, at: now() })
  const changes = [{ field: 'email', from: email, to: replaced }]
  await writeAudit(tx, now(), { actor, action: 'user.edit', target: { id, name: email }, changes })
  const message = `Someone else has proved that ${email} is theirs, or was invited with it, so your account no longer has an email.`
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast: 'warning' }]))]
}

/** Users could once enter such an address by hand, and must not keep anybody from the one that they have proved. */
async function freeLostEmail(tx: Queries, id: string): Promise<string> {
  const email = lostEmail(id)
  const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return holder ? lostEmail(`${id}.${randomBytes(8).toString('hex')}`) : email
}
