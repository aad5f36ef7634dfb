import type { Context } from '../../platform/context.ts'
import { dropOldAudit } from '../audit/store.ts'
import { dropOldNotifications } from '../notifications/store.ts'

/** Drops what is remembered long enough: notifications with who has seen them, and the oldest of the log. */
export async function cleanUpUsers({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  await dropOldAudit(db.q, now())
  await dropOldNotifications(db.q, now())
}
