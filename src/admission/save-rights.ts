import { type Edit, markEdited } from '../people/store.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import type { Roles } from '../shared/user.ts'
import { closeRequest } from './access/store.ts'

/** What is left out stays as it is. */
type Rights = { status: number; roles: Roles; tags?: readonly string[]; emailVerified?: boolean }

/** Saves what a user may do, as an edit, and closes the request that it answers. The caller has locked the user. */
export async function saveRights(
  db: Db,
  tx: Queries,
  id: string,
  { status, roles, tags, emailVerified }: Rights,
  edit: Edit,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      status,
      roles: JSON.stringify(roles),
      ...(tags && { tags: JSON.stringify(tags) }),
      ...(emailVerified !== undefined && { email_verified: db.boolean(emailVerified) }),
    })
    .where('id', '=', id)
    .execute()
  await markEdited(db, tx, id, edit)
  await closeRequest(tx, { id, status, roles }, edit.at)
}
