import { creation } from '../../people/audit/fields.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { createUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { inTurnOf } from '../../sign-in/limits/password-turns.ts'
import { newHash } from '../../sign-in/passwords/password-rules.ts'
import { recordLoss, takeEmail } from '../take-email.ts'
import { type InviteContext, recordNewcomer } from './accept.ts'
import type { JoinBody } from './contract.ts'
import { inviteRefused, provesEmail, whyEnded } from './refusal.ts'
import { againIfGone, inviteById, type StoredInvite } from './store.ts'

/** Makes the user who joins by an open invitation with a username and password. Throws a 403 if it is for another email, or was used up meanwhile, and a 409 that names what is taken. `counted` limits how often strangers learn that. */
export async function join(
  context: InviteContext & Pick<Context, 'events'>,
  invite: StoredInvite,
  { name, email, username, password }: JoinBody,
  { origin, counted }: { origin: Origin; counted: <Result>(work: () => Promise<Result>) => Promise<Result> },
): Promise<{ id: string; email: string; username: string }> {
  const { db, now } = context
  // Whoever has the link gets the address that it is for; only a link that was mailed there proves it.
  if (invite.email !== null && invite.email !== email) throw inviteRefused('other')
  const emailVerified = provesEmail(invite)
  // Whoever has a link is still a stranger, who must not keep users from changing their passwords.
  const turn = { owner: networksOf(origin.address ?? '').at(-1) ?? '', isKnown: false }
  const hash = await inTurnOf(turn, () => newHash(password, { name, email, username }))
  const events: LiveEvent[] = []
  const attempt = async (tx: Queries) => {
    const holders = tx.selectFrom('users').select(['id', 'email', 'email_verified']).where('email', '=', email)
    const holder = await lockRows(db, holders).executeTakeFirst()
    const loser = holder && !holder.email_verified && invite.email !== null ? holder : undefined
    const replaced = loser && (await takeEmail(context, tx, loser))
    const present = await inviteById(tx, invite.id, now())
    const why = whyEnded(present)
    if (!present || why) throw inviteRefused(why ?? 'unknown')
    const { roles, tags } = present
    const user = { name, email, emailVerified, credentials: { username, hash }, roles, tags }
    const id = await createUser(db, tx, user, now())
    const actor = { id, name: email, ...origin }
    await writeAudit(tx, now(), creation(actor, id, user))
    events.length = 0
    if (loser && replaced) events.push(...(await recordLoss(context, tx, actor, loser, replaced)))
    events.push(...(await recordNewcomer(context, tx, present, { id, email, origin })))
    return id
  }
  const id = await counted(() => againIfGone(() => transact(db, attempt)))
  context.events.publish(events)
  return { id, email, username }
}
