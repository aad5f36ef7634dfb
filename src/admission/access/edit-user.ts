import { auditAndNotify } from '../../notices/account-changes.ts'
import type { AuditAction, Change } from '../../people/audit/contract.ts'
import { changesBetween, fieldsOf } from '../../people/audit/fields.ts'
import { saveUser, type UserRow } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { closeRequest } from './store.ts'

type UserEdit = {
  /** What is left out stays as it is. */
  to: Partial<UserRow>
  actor: Actor
  action?: AuditAction
  /** What the log says of it, if that is more than the changed fields. */
  changes?: readonly Change[]
}

/** What would change in a user with these fields. */
export const changesTo = (user: UserRow, to: Partial<UserRow>): Change[] =>
  changesBetween(fieldsOf(user), fieldsOf({ ...user, ...to }))

/**
 * Saves, logs and tells an edit of a user, whom the caller has locked, and closes the request for access that it answers.
 * Without changes it is only logged. Returns the changes. Throws a 409 that names the field if the email or username is
 * taken.
 */
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
