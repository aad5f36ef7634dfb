import { sql } from 'kysely'
import { deleteOldInvites } from '../admission/invites/store.ts'
import { mailsKept } from '../notices/mail/store.ts'
import { deleteOldNotifications } from '../notices/notifications/store.ts'
import { deleteOldFailures } from '../people/audit/failures.ts'
import { deleteOldAudit } from '../people/audit/store.ts'
import type { Context } from '../platform/context.ts'
import { deleteInBatches } from '../platform/db/rows/delete-in-batches.ts'
import { allInTurn } from '../shared/async.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import { deleteOldNetworks } from '../sign-in/api-keys/networks.ts'
import { longestSession } from '../sign-in/auth.ts'
import { knownDeviceLife } from '../sign-in/limits/known-devices.ts'
import { knownNetworkLife } from '../sign-in/limits/known-networks.ts'
import { rateLimitSpan } from '../sign-in/limits/stored-rate-limit.ts'

/** Each machine stamps the sign-ins it starts by its own clock. */
const clocksApart: Milliseconds = days(1)

/** Deletes expired sessions, unfinished sign-ins and counts of failures, and old audit entries, notifications and invitations. */
export async function cleanUpAccounts({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const { q, timestamp } = db
  const at = now()
  const abandoned = timestamp(at - clocksApart)
  await allInTurn([
    () =>
      deleteInBatches(q, 'sessions', {
        key: ['id'],
        where: sql`expires_at <= ${timestamp(at)} or created_at <= ${timestamp(at - longestSession)}`,
      }),
    () => deleteInBatches(q, 'verifications', { key: ['id'], where: sql`expires_at <= ${abandoned}` }),
    () => deleteInBatches(q, 'rate_limits', { key: ['id'], where: sql`last_request <= ${at - rateLimitSpan}` }),
    () =>
      deleteInBatches(q, 'known_network', {
        key: ['user_id', 'network'],
        where: sql`last_at <= ${at - knownNetworkLife}`,
      }),
    () =>
      deleteInBatches(q, 'known_device', {
        key: ['user_id', 'device', 'network'],
        where: sql`last_at <= ${at - knownDeviceLife}`,
      }),
    () => deleteInBatches(q, 'mail', { key: ['id'], where: sql`created_at <= ${at - mailsKept}` }),
    () => deleteOldAudit(q, at),
    () => deleteOldFailures(q, at),
    () => deleteOldNetworks(q, at),
    () => deleteOldNotifications(q, at),
    () => deleteOldInvites(q, at),
  ])
}
