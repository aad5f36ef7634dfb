import { randomBytes } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import { rateLimiter } from '../../platform/net/visit-limits.ts'
import { HttpError } from '../../shared/http-error.ts'
import { canonicalEmail } from '../../shared/schemas/email.ts'
import { days, hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import { readChannel, type StoredChannel } from './store.ts'
import type { Mail } from './types/channel-type.ts'

const life: Milliseconds = hours(24)

/** Takes one of the mails that a user may have sent to addresses that aren't confirmed, and that such an address may get from all users. Throws a 429 if none is left. */
export function confirmationLimit(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: 10, per: hours(1), refusal: 'Too many emails to confirm addresses.' })
  const ofAddress = rateLimiter(elapsed, { most: 10, per: days(1), refusal: 'Too many emails to this address.' })
  return (userId: string, address: unknown): void => {
    const giveBack = ofUser(userId)
    try {
      ofAddress(canonicalEmail(String(address)) ?? '')
    } catch (refusal) {
      giveBack()
      throw refusal
    }
  }
}

/** Makes a new link for a channel's address; the token itself is stored nowhere but in the mail. Undefined if the channel was changed meanwhile: the link would confirm another address than it is mailed to. */
export async function confirmationMail(
  { db, config, now }: Pick<Context, 'db' | 'config' | 'now'>,
  channel: StoredChannel,
): Promise<Mail | undefined> {
  const token = randomBytes(32).toString('base64url')
  const { numUpdatedRows } = await db.q
    .updateTable('channel')
    .set({ confirm_hash: hashOf(token), confirm_until: now() + life })
    .where('id', '=', channel.id)
    .where('updated_at', '=', channel.updatedAt)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  const text = [
    `Someone, probably you, wants ToolBox at ${config.baseUrl} to send notices to this address.`,
    'Open this link within 24 hours to confirm it:',
    `${config.baseUrl}/user/confirm-email#${token}`,
    "If it wasn't you, ignore this email: nothing more will be sent.",
  ].join('\n\n')
  return { to: String(channel.settings.to), subject: 'Confirm your email address for ToolBox', text: `${text}\n` }
}

/** Confirms the address that this token was mailed to. Throws a 403 if the link no longer works. */
export async function confirmAddress(
  context: Pick<Context, 'db' | 'now' | 'secrets'>,
  token: string,
): Promise<{ to: string; userId: string; id: string }> {
  const now: Instant = context.now()
  const row = await context.db.q
    .updateTable('channel')
    .set({ confirmed: 1, confirm_hash: null, confirm_until: null })
    .where('confirm_hash', '=', hashOf(token))
    .where('confirm_until', '>', now)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new HttpError(403, 'This link has expired or was already used. Send a new one from Channels.')
  const { settings, userId, id } = readChannel(row, context)
  return { to: String(settings.to), userId, id }
}
