import { writeAudit } from '../people/audit/log.ts'
import { parseRoles } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import type { Origin } from '../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../platform/live/events.ts'
import { Active, type Roles, roleNames } from '../shared/user.ts'
import { saveRights } from './save-rights.ts'

type Claim = {
  /** Ids of all active admins, whose rows are locked. */
  admins: readonly string[]
  user: { id: string; email: string }
  roles: Roles
  provider: { name: string }
  origin: Origin
}

/**
 * Sets the levels of an active user who signs in to what the provider says of them. The last active admin stays one, since nobody
 * could administer otherwise, and is told.
 */
export async function claimRoles(
  { db, now, notify }: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { admins, user, roles, provider, origin }: Claim,
): Promise<LiveEvent[]> {
  const row = await tx.selectFrom('users').select('roles').where('id', '=', user.id).executeTakeFirstOrThrow()
  const before = parseRoles(row.roles)
  const staysAdmin = roles.Admin < 2 && admins.length === 1 && admins[0] === user.id
  const after: Roles = staysAdmin ? { ...roles, Admin: before.Admin } : roles
  const changes = [
    ...roleNames
      .filter((name) => before[name] !== after[name])
      .map((name) => ({ field: `roles.${name}`, from: before[name], to: after[name] })),
    ...(staysAdmin ? [{ field: 'lastAdmin', from: null, to: roles.Admin }] : []),
  ]
  if (changes.length === 0) return []
  const at = now()
  await saveRights(db, tx, user.id, { status: Active, roles: after }, { by: null, at })
  await writeAudit(tx, at, {
    actor: { id: null, name: provider.name, ...origin },
    action: 'user.edit',
    target: { id: user.id, name: user.email },
    changes,
  })
  const message = `${provider.name} no longer lists you as an admin, but you are the only active one, so you keep the role. Appoint another admin first.`
  const told = staysAdmin ? await notify(tx, [{ type: 'account', userId: user.id, message, toast: 'warning' }]) : []
  return [accessChanged(user.id), ...told]
}
