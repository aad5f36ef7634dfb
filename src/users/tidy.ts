import type { Kit } from '../server/kit.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import { dropOldAudit } from './audit/store.ts'

const notificationsKept: Milliseconds = days(30)

/** Drops what is remembered long enough: notifications with who has seen them, and the oldest of the log. */
export async function tidyUsers({ db, now }: Pick<Kit, 'db' | 'now'>): Promise<void> {
  const at = now()
  await dropOldAudit(db.q, at)
  await db.q
    .deleteFrom('notification')
    .where('issued_at', '<', at - notificationsKept)
    .execute()
}
