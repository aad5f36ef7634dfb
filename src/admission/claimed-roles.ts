import { lockUser } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import type { Origin } from '../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'
import type { Roles } from '../shared/user.ts'
import { changesTo, editUser } from './access/edit-user.ts'

type Claim = {
  /** Ids of all active admins, whose rows are locked. */
  admins: readonly string[]
  user: { id: string }
  roles: Roles
  provider: { name: string }
  origin: Origin
}

/**
 * Sets the levels of an active user who signs in to what the provider says of them. The last active admin stays one, since nobody
 * could administer otherwise, and is told.
 */
export async function claimRoles(
  context: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { admins, user: { id }, roles, provider, origin }: Claim,
): Promise<LiveEvent[]> {
  const user = await lockUser(context.db, tx, { id })
  const staysAdmin = roles.Admin < 2 && admins.length === 1 && admins[0] === id
  const to = { roles: staysAdmin ? { ...roles, Admin: user.roles.Admin } : roles }
  const changes = [...changesTo(user, to), ...(staysAdmin ? [{ field: 'lastAdmin', from: null, to: roles.Admin }] : [])]
  if (changes.length === 0) return []
  await editUser(context, tx, user, { to, actor: { id: null, name: provider.name, ...origin }, changes })
  const message = `${provider.name} no longer lists you as an admin, but you are the only active one, so you keep the role. Appoint another admin first.`
  const told = staysAdmin ? await context.notify(tx, [{ type: 'account', userId: id, message, toast: 'warning' }]) : []
  return [accessChanged(id), ...told]
}
