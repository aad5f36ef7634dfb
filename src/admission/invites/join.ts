import { randomUUID } from 'node:crypto'
import { creation } from '../../people/audit/fields.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { createUser, lockUser, lockUserIfAny } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { inTurnOf } from '../../sign-in/limits/password-turns.ts'
import { newHash } from '../../sign-in/passwords/password-rules.ts'
import { takeEmail } from '../take-email.ts'
import { type InviteContext, redeemInvite } from './accept.ts'
import type { JoinBody } from './contract.ts'
import { inviteRefused, whyEnded } from './refusal.ts'
import { againIfGone, inviteById, type StoredInvite } from './store.ts'

/** Makes the user who joins by an open invitation with a username and password. Throws a 403 if it is for another email, or was used up meanwhile, and a 409 that names what is taken. `counted` limits how often strangers learn that. */
export async function join(
  context: InviteContext & Pick<Context, 'events'>,
  invite: StoredInvite,
  { name, email, username, password }: JoinBody,
  { origin, counted }: { origin: Origin; counted: <Result>(work: () => Promise<Result>) => Promise<Result> },
): Promise<{ id: string; email: string; username: string }> {
  const { db, now } = context
  // Whoever has the link gets the address that it is for.
  if (invite.email !== null && invite.email !== email) throw inviteRefused('other')
  // Whoever has a link is still a stranger, who must not keep users from changing their passwords.
  const turn = { owner: networksOf(origin.address ?? '').at(-1) ?? '', isKnown: false }
  const hash = await inTurnOf(turn, () => newHash(password, { name, email, username }))
  const id = randomUUID()
  const actor = { id, name: email, ...origin }
  const attempt = async (tx: Queries): Promise<LiveEvent[]> => {
    const holder = await lockUserIfAny(db, tx, { email })
    const loser = holder && !holder.emailVerified && invite.email !== null ? holder : undefined
    const lost = loser ? await takeEmail(context, tx, loser, actor) : []
    const present = await inviteById(tx, invite.id, now())
    const why = whyEnded(present)
    if (!present || why) throw inviteRefused(why ?? 'unknown')
    const credentials = { username, hash }
    const user = { id, name, email, emailVerified: false, credentials, roles: { Admin: 0, Tools: 0 } } as const
    await createUser(db, tx, user, now())
    await writeAudit(tx, now(), creation(actor, id, user))
    const how = { origin, toast: true }
    return [...lost, ...(await redeemInvite(context, tx, present, await lockUser(db, tx, { id }), how))]
  }
  context.events.publish(await counted(() => againIfGone(() => transact(db, attempt))))
  return { id, email, username }
}
