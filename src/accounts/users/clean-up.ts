import type { Kit } from '../../platform/kit.ts'
import { dropOldAudit } from '../audit/store.ts'
import { dropOldNotifications } from '../notifications/store.ts'

/** Drops what is remembered long enough: notifications with who has seen them, and the oldest of the log. */
export async function tidyUsers({ db, now }: Pick<Kit, 'db' | 'now'>): Promise<void> {
  await dropOldAudit(db.q, now())
  await dropOldNotifications(db.q, now())
}
