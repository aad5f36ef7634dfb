import { randomBytes } from 'node:crypto'
import { auditAndNotify } from '../../notices/account-changes.ts'
import type { AuditAction, Change } from '../../people/audit/contract.ts'
import { changesBetween, fieldsOf, writeAudit } from '../../people/audit/log.ts'
import { placeholderEmail } from '../../people/contract.ts'
import { saveUser, type UserRow } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { closeRequest } from './store.ts'

type UserEdit = {
  /** Omitted fields stay unchanged. */
  to: Partial<UserRow>
  actor: Actor
  action?: AuditAction
  /** The changes to log, if they are more than the changed fields. */
  changes?: readonly Change[]
}

export const changesTo = (user: UserRow, to: Partial<UserRow>): Change[] =>
  changesBetween(fieldsOf(user), fieldsOf({ ...user, ...to }))

/** Also closes the request that the edit settles. The caller has locked the user. Throws a 409 naming a taken field. */
export async function editUser(
  { db, now, notify }: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  user: UserRow,
  { to, actor, action = 'user.edit', changes = changesTo(user, to) }: UserEdit,
): Promise<readonly Change[]> {
  const at = now()
  const { id, email: name } = user
  if (changes.length > 0) await saveUser(db, tx, id, to, { by: actor.id, at })
  if (to.status !== undefined || to.roles) await closeRequest(tx, { ...user, ...to }, at)
  await auditAndNotify({ notify }, tx, at, id, { actor, action, target: { id, name }, changes })
  return changes
}

/** A user, locked by the caller, who never verified an email that someone else has verified or was invited with. */
type UnverifiedOwner = { id: string; email: string }

/** Replaces an email that the user never verified with a placeholder, logs that with `actor`, and notifies the user. */
export async function replaceUnverifiedEmail(
  { db, now, notify }: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { id, email }: UnverifiedOwner,
  actor: Actor,
): Promise<readonly LiveEvent[]> {
  const replaced = await unusedPlaceholderEmail(tx, id)
  await saveUser(db, tx, id, { email: replaced }, { by: null, at: now() })
  const changes = [{ field: 'email', from: email, to: replaced }]
  await writeAudit(tx, now(), { actor, action: 'user.edit', target: { id, name: email }, changes })
  const message = `Someone else has proved that ${email} is theirs, or was invited with it, so your account no longer has an email.`
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast: 'warning' }]))]
}

/** Returns an unused placeholder: users could once enter such an address by hand, and must not block it for others. */
async function unusedPlaceholderEmail(tx: Queries, id: string): Promise<string> {
  const email = placeholderEmail(id)
  const holder = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return holder ? placeholderEmail(`${id}.${randomBytes(8).toString('hex')}`) : email
}
