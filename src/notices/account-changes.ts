import { type AuditRecord, writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { accessChanged, inboxChanged, type LiveEvent } from '../platform/live/events.ts'
import { quote } from '../platform/notice.ts'
import type { Instant } from '../shared/time.ts'

/** Changes that outlive a stolen session. The user is notified of each, in case an attacker made it. */
const changeMessages: { [Action in AuditRecord['action']]?: (record: AuditRecord) => string } = {
  'user.password': () => 'Your password was changed',
  'user.edit': () => 'Your sign-in methods were changed',
  'provider.link': (record) => `${quote(changedItemName(record, 'to'))} was linked to your account`,
  'provider.unlink': (record) => `${quote(changedItemName(record, 'from'))} was unlinked from your account`,
  'factor.on': () => 'Two-step sign-in was turned on',
  'factor.off': () => 'Two-step sign-in was turned off',
  'factor.codes': () => 'New recovery codes were created',
  'factor.code': () => 'A recovery code was used',
  'factor.reset': () => 'Two-step sign-in was reset',
  'passkey.create': (record) => `The passkey ${quote(changedItemName(record, 'to'))} was added`,
  'passkey.delete': (record) => `The passkey ${quote(changedItemName(record, 'from'))} was deleted`,
  'key.create': ({ target }) => `The API key ${quote(target?.name ?? '')} was created`,
  'channel.create': (record) => `The channel ${quote(changedItemName(record, 'to'))} was created`,
  'channel.edit': (record) => `The address of the channel ${quote(changedItemName(record, 'to'))} was changed`,
  'status.create': (record) => `Your status page was created at ${changedItemName(record, 'to')}`,
  'status.edit': ({ changes = [] }) =>
    changes.some(({ field }) => field === 'address')
      ? `Your status page was moved to ${changes[0]?.to}`
      : 'Your status page now shows more URLs',
}
const signInFields = ['email', 'credUsername', 'providers']

/** The name of the added or removed item; a provider's without its sort number. */
const changedItemName = ({ changes: [change] = [] }: AuditRecord, side: 'from' | 'to') =>
  String(change?.[side] ?? '')
    .replace(/^\d{3}_/, '')
    .replace(/^OIDC /, 'OpenID ')

/** The notice about a change that outlives a session; undefined for any other change. */
export function changeMessage(record: AuditRecord, userId: string): string | undefined {
  const { action, actor, changes = [] } = record
  if (action === 'user.edit' && !changes.some(({ field }) => signInFields.includes(field))) return undefined
  const what = changeMessages[action]?.(record)
  if (what === undefined) return undefined
  if (actor.id !== userId) return `${what} by an admin.`
  return actor.device ? `${what} from ${quote(actor.device)}.` : `${what}.`
}

/** Logs and notifies of changes that outlive a session. Publish `signInChanged` after the commit. */
export async function auditAndNotify(
  { notify }: Pick<Context, 'notify'>,
  tx: Queries,
  at: Instant,
  userId: string,
  record: AuditRecord,
): Promise<void> {
  await writeAudit(tx, at, record)
  const message = changeMessage(record, userId)
  if (message !== undefined) await notify(tx, [{ type: 'account', userId, message }])
}

export const signInChanged = (userId: string): LiveEvent[] => [accessChanged(userId), inboxChanged(userId)]
