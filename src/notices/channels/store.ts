import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { rateLimiter } from '../../platform/net/visit-limits.ts'
import { HttpError } from '../../shared/http-error.ts'
import { canonicalEmail } from '../../shared/schemas/email.ts'
import { days, hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import { parseUrl } from '../../shared/urls/parse-url.ts'
import type { Channel } from './contract.ts'
import type { ChannelType, Mail } from './types/channel-type.ts'
import { channelTypeOf } from './types/index.ts'

const StoredSettings = z.record(z.string(), z.unknown())

export type StoredChannel = Channel & {
  userId: string
  refusedSince: Instant | null
  toldAt: Instant | null
  kind: ChannelType
}

/** Throws if the channel's type is unknown or its settings can't be decrypted. */
export function readChannel(row: Selectable<Tables['channel']>, { secrets }: Pick<Context, 'secrets'>): StoredChannel {
  const kind = channelTypeOf(row.type)
  if (!kind) throw new Error(`There is no channel type ${row.type}.`)
  const parseOrNull = <T>(text: string | null): T | null => (text === null ? null : JSON.parse(text))
  return {
    id: row.id,
    userId: row.user_id,
    kind,
    name: row.name,
    type: row.type,
    status: row.status === 1,
    settings: StoredSettings.parse(JSON.parse(secrets.open(row.settings))),
    events: JSON.parse(row.events),
    tools: parseOrNull(row.tools),
    entries: parseOrNull(row.entries),
    quiet: parseOrNull(row.quiet),
    remindEvery: row.remind_every,
    confirmed: row.confirmed === 1,
    failingSince: row.failing_since,
    // An instance of an older version clears only the former after a success.
    refusedSince: row.failing_since === null ? null : row.refused_since,
    lastError: row.last_error,
    lastSentAt: row.last_sent_at,
    toldAt: row.told_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export const toChannel = ({ userId: _, refusedSince: __, toldAt: ___, kind, ...channel }: StoredChannel): Channel => ({
  ...channel,
  settings: maskSettings(kind, channel.settings),
})

type Writable = Pick<
  Channel,
  'name' | 'status' | 'settings' | 'events' | 'tools' | 'entries' | 'quiet' | 'remindEvery' | 'confirmed'
>
const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

export const columnsOf = (channel: Writable, { secrets }: Pick<Context, 'secrets'>) => ({
  name: channel.name,
  status: channel.status ? (1 as const) : (0 as const),
  settings: secrets.seal(JSON.stringify(channel.settings), 'channel.settings'),
  events: JSON.stringify(channel.events),
  tools: json(channel.tools),
  entries: json(channel.entries),
  quiet: json(channel.quiet),
  remind_every: channel.remindEvery,
  confirmed: channel.confirmed ? (1 as const) : (0 as const),
})

export const channelChanged = (userId: string, id: string): LiveEvent => ({
  type: 'channel',
  to: { userId },
  data: { id },
})

/** Oldest first. Logs and omits channels that can't be read. */
export async function channelsOf(
  { db, secrets, log }: Pick<Context, 'db' | 'secrets' | 'log'>,
  userId: string,
): Promise<StoredChannel[]> {
  const own = db.q.selectFrom('channel').selectAll().where('user_id', '=', userId)
  const rows = await own.orderBy('created_at').orderBy('id').execute()
  return rows.flatMap((row) => {
    try {
      return [readChannel(row, { secrets })]
    } catch (error) {
      log.error({ err: error, channel: row.id }, 'A channel cannot be read; omitted')
      return []
    }
  })
}

/** `lock` locks its row until the transaction ends. */
export const channelRow = (db: Db, q: Queries, of: { id: string; userId: string }, lock = false) => {
  const row = q.selectFrom('channel').selectAll().where('id', '=', of.id).where('user_id', '=', of.userId)
  return (lock ? lockRows(db, row) : row).executeTakeFirst()
}

/** Shifts these channels' times after the clock was set by this much, as their jobs are shifted. */
export async function shiftChannels(db: Db, tx: Queries, ids: readonly string[], by: Milliseconds): Promise<void> {
  if (ids.length === 0) return
  await sql`update channel set failing_since = failing_since + ${by}, refused_since = refused_since + ${by},
    told_at = told_at + ${by} where ${db.isOneOf('id', ids)}`.execute(tx)
}

type Settings = Record<string, unknown>

/** Every mask contains this, and no secret does. */
const maskDots = '••••'
const reenterMessage = 'Enter this again: the URL points to a different host.'

export function maskSettings(type: ChannelType, settings: Settings): Settings {
  const masked = Object.entries(settings).map(([name, value]) => [
    name,
    type.secrets.includes(name) && typeof value === 'string' ? type.mask(value) : value,
  ])
  return Object.fromEntries(masked)
}

/**
 * Settings that are omitted, or masked as they were read, stay; null or an empty text removes a setting. Secrets aren't
 * kept for a URL with another host. Throws a 400 with the invalid fields.
 */
export function completeSettings(type: ChannelType, input: Settings, current?: Settings): Settings {
  const isNewHost = current !== undefined && input.url !== undefined && hasOtherHost(input.url, current.url)
  const merged: Settings = { ...current, ...input }
  for (const name of type.secrets) {
    const value = input[name]
    if (value === undefined && isNewHost) delete merged[name]
    if (typeof value !== 'string' || !value.includes(maskDots)) continue
    const stored = current?.[name]
    if (isNewHost) throw invalidSettings({ [name]: reenterMessage })
    if (typeof stored !== 'string' || value !== type.mask(stored))
      throw invalidSettings({ [name]: 'Enter this in full.' })
    merged[name] = stored
  }
  const filled = Object.entries(merged).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const { data, error } = type.Settings.strict().safeParse(Object.fromEntries(filled))
  if (!data) throw invalidSettings(reasonsByField(error.issues))
  const complete = type.complete(data)
  // A value can't be generated here, since only the response to creating a channel shows it.
  const [missing] = current ? Object.keys(complete).filter((name) => data[name] === undefined) : []
  if (missing) throw invalidSettings({ [missing]: isNewHost ? reenterMessage : 'Enter a new one.' })
  return complete
}

const hasOtherHost = (url: unknown, currentUrl: unknown) =>
  !String(url).includes(maskDots) && parseUrl(String(url))?.origin !== parseUrl(String(currentUrl))?.origin

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string; keys?: string[] }

const reasonsByField = (issues: readonly Issue[]): Record<string, string> =>
  Object.fromEntries(
    issues
      .flatMap(({ path, message, keys }) =>
        keys ? keys.map((key) => [key, 'Unknown field.']) : [[String(path[0] ?? ''), message]],
      )
      .reverse(),
  )

/** A 400 about these settings, with field names such as `settings.url`. */
export function invalidSettings(whys: Readonly<Record<string, string>>): HttpError {
  const fields = Object.fromEntries(Object.entries(whys).map(([name, why]) => [`settings.${name}`, why]))
  const [first] = Object.values(whys)
  const isOne = Object.keys(fields).length === 1
  return new HttpError(400, isOne && first ? first : 'Some fields are not valid.', { fields })
}

const life: Milliseconds = hours(24)

/** Counts mails to unconfirmed addresses, per user and per address. Throws a 429 if either limit is reached. */
export function confirmationLimit(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: 10, per: hours(1), refusal: 'Too many emails to confirm addresses.' })
  const ofAddress = rateLimiter(elapsed, { most: 10, per: days(1), refusal: 'Too many emails to this address.' })
  return (userId: string, address: unknown): void => {
    const refund = ofUser(userId)
    try {
      ofAddress(canonicalEmail(String(address)) ?? '')
    } catch (refusal) {
      refund()
      throw refusal
    }
  }
}

/** Undefined if the channel was changed meanwhile: the link could confirm an address that it wasn't mailed to. */
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

/** Throws a 403 if the link no longer works. */
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
