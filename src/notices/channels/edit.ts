import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AuditRecord } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import { lockJobs, lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { By } from '../../platform/http/access/actor.ts'
import { HttpError, invalid, notFound } from '../../shared/http-error.ts'
import { hours, laterThan } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import { auditAndNotify } from '../account-changes.ts'
import type { NoticesConfig } from '../config.ts'
import { confirmationJob, reminderId, reminderJob } from '../jobs.ts'
import type { Channel, ChannelBody, NewChannelBody } from './contract.ts'
import { completeSettings, invalidSettings } from './settings.ts'
import { channelRow, columnsOf, readChannel, type StoredChannel, shown } from './store.ts'
import type { ChannelType } from './types/channel-type.ts'
import { channelTypeOf, channelTypes } from './types/index.ts'

const mostChannels = 20
type User = By['user']
export type ChannelContext = Context<NoticesConfig> & {
  /** The tools whose entries a channel may be limited to. */
  toolIds: readonly string[]
  /** Those of these entries that are the user's own. */
  ownEntries: (userId: string, ids: readonly string[]) => Promise<readonly string[]>
  /** Takes one of the mails that a user may have sent to an address that isn't confirmed. */
  takeConfirmation: (userId: string, address: unknown) => void
}

/** Creates a channel; only this answer holds its secrets in full. */
export async function createChannel(
  context: ChannelContext,
  { user, actor }: By,
  body: NewChannelBody,
): Promise<Channel> {
  const kind = offeredType(context, body.type)
  const { id: _, ...wanted } = body
  const named = { name: wanted.name, kind }
  await checkChoice(context, user, wanted)
  context.visitLimits.takeUrl(user.id)
  const settings = completeSettings(kind, wanted.settings)
  await checkUrl(context, user, kind, settings)
  const confirmed = !kind.isMail
  if (!confirmed) context.takeConfirmation(user.id, settings.to)
  const id = randomUUID()
  const at = context.now()
  await transact(context.db, async (tx) => {
    await assertRoom(context, tx, user.id)
    const columns = columnsOf({ ...wanted, settings, confirmed }, context)
    const row = { id, user_id: user.id, type: kind.id, created_at: at, updated_at: at, ...columns }
    // Those that are there already tell of the new one.
    await auditAndNotify(context, tx, at, user.id, channelRecord('channel.create', { user, actor }, named))
    await tx.insertInto('channel').values(row).execute()
    if (!confirmed) await context.jobs.add(confirmationJob(id, at), tx)
  })
  context.jobs.wake()
  const created = await channelRow(context.db, context.db.q, { id, userId: user.id })
  if (!created) throw notFound('Channel')
  return { ...shown(readChannel(created, context)), settings }
}

/** Changes what the body names. A changed channel is tried again at once. */
export async function changeChannel(context: ChannelContext, by: By, body: ChannelBody): Promise<Channel> {
  const { user } = by
  const of = { id: body.id, userId: user.id }
  const before = await ownChannel(context, of)
  if (body.type !== undefined && body.type !== before.type)
    throw invalid('type', 'Create a new channel to use another type.')
  await checkChoice(context, user, body, before)
  context.visitLimits.takeUrl(user.id)
  const settings = body.settings ? completeSettings(before.kind, body.settings, before.settings) : before.settings
  const isNew = !isDeepStrictEqual(settings, before.settings)
  if (isNew) await checkUrl(context, user, before.kind, settings)
  const unconfirmed = before.kind.isMail && settings.to !== before.settings.to
  if (unconfirmed) context.takeConfirmation(user.id, settings.to)
  const after: StoredChannel = {
    ...before,
    name: given(body.name, before.name),
    status: given(body.status, before.status),
    events: given(body.events, before.events),
    tools: given(body.tools, before.tools),
    entries: given(body.entries, before.entries),
    quiet: given(body.quiet, before.quiet),
    remindEvery: given(body.remindEvery, before.remindEvery),
    settings,
  }
  const { id } = before
  await transact(context.db, async (tx) => {
    await lockLane(context, tx, id)
    const row = await channelRow(context.db, tx, of, true)
    if (!row) throw notFound('Channel')
    if (row.updated_at !== before.updatedAt)
      throw new HttpError(409, 'This channel was changed in the meantime. Try again.')
    const at = context.now()
    const isTriedAgain = isNew || (after.status && !before.status)
    const cleared = { failing_since: null, last_error: null }
    // Its link may have been opened meanwhile, which is no edit.
    const confirmed = row.confirmed === 1 && !unconfirmed
    await tx
      .updateTable('channel')
      .set({
        ...columnsOf({ ...after, confirmed }, context),
        updated_at: laterThan(before.updatedAt, at),
        ...(isTriedAgain && cleared),
      })
      .where('id', '=', id)
      .execute()
    if (isNew) await auditAndNotify(context, tx, at, user.id, channelRecord('channel.edit', by, after))
    if (unconfirmed) await tx.updateTable('channel').set({ confirm_hash: null }).where('id', '=', id).execute()
    if (unconfirmed) await context.jobs.plan(confirmationJob(id, at), tx)
    if (!after.status) await tx.deleteFrom('channel_news').where('channel_id', '=', id).execute()
    await context.jobs.hurry(id, at, tx)
    if (after.remindEvery === null) await context.jobs.cancel(reminderId(id), tx)
    else if (after.status) {
      // Whatever fails already, also what it hears of only now, is told again this number of hours later.
      const reminder = reminderJob(id, at + hours(after.remindEvery), at)
      const isMoved = !before.status || after.remindEvery !== before.remindEvery
      await (isMoved ? context.jobs.plan(reminder, tx) : context.jobs.add(reminder, tx))
    }
  })
  context.jobs.wake()
  return shown(await ownChannel(context, of))
}

/** An entry of the audit log about a channel; its address may be a secret. */
const channelRecord = (
  action: 'channel.create' | 'channel.edit',
  { user, actor }: By,
  { name, kind }: Pick<StoredChannel, 'name' | 'kind'>,
): AuditRecord => {
  const channel = name === null ? kind.label : `${name} (${kind.label})`
  return {
    actor,
    action,
    target: { id: user.id, name: user.email },
    changes: [{ field: 'channel', from: null, to: channel }],
  }
}

export async function removeChannel(context: ChannelContext, user: User, id: string): Promise<void> {
  await transact(context.db, async (tx) => {
    await lockLane(context, tx, id)
    const row = await channelRow(context.db, tx, { id, userId: user.id }, true)
    if (!row) throw notFound('Channel')
    await tx.deleteFrom('job').where('lane', '=', id).where('entry_id', 'is', null).execute()
    await tx.deleteFrom('channel').where('id', '=', id).execute()
  })
}

export async function ownChannel(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  of: { id: string; userId: string },
): Promise<StoredChannel> {
  const row = await channelRow(db, db.q, of)
  if (!row) throw notFound('Channel')
  return readChannel(row, { secrets })
}

function offeredType({ config }: ChannelContext, id: string): ChannelType {
  const type = channelTypeOf(id)
  if (!type) throw invalid('type', `Use one of these: ${channelTypes.map((one) => one.id).join(', ')}.`)
  if (!type.isOffered(config)) throw invalid('type', "This server can't send email: its operator hasn't set SMTP_URL.")
  return type
}

type Choice = { [Key in 'events' | 'tools' | 'entries']?: Channel[Key] | undefined }

/** Refuses events that are only for admins, and tools and entries that aren't there; what the channel had before may stay. */
async function checkChoice({ toolIds, ownEntries }: ChannelContext, user: User, asked: Choice, before?: Choice) {
  const isNew = asked.events?.includes('operator') && !before?.events?.includes('operator')
  if (isNew && !can(user, 'Admin', 2)) throw invalid('events', 'Only admins can get messages about this server.')
  const unknown = asked.tools?.find((id) => !toolIds.includes(id) && !before?.tools?.includes(id))
  if (unknown !== undefined) throw invalid('tools', `Use some of these: ${toolIds.join(', ')}.`)
  const added = asked.entries?.filter((id) => !before?.entries?.includes(id)) ?? []
  const own = new Set(added.length > 0 ? await ownEntries(user.id, added) : [])
  const foreign = added.find((id) => !own.has(id))
  if (foreign !== undefined) throw invalid('entries', `You have no entry with the ID ${foreign}.`)
}

async function checkUrl({ outbound }: ChannelContext, user: User, kind: ChannelType, settings: Channel['settings']) {
  if (!kind.checksUrl) return
  const why = await outbound.refuse(String(settings.url), user.id)
  if (why) throw invalidSettings({ url: why })
}

/** Refuses one channel too many; the user's row is locked so that others count after us. */
async function assertRoom({ db }: ChannelContext, tx: Queries, userId: string) {
  await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
  const rows = await tx.selectFrom('channel').select('id').where('user_id', '=', userId).execute()
  if (rows.length >= mostChannels) throw new HttpError(409, `You've reached the limit of ${mostChannels} channels.`)
}

/** Jobs are locked before their channel, as the worker does. */
async function lockLane({ db }: ChannelContext, tx: Queries, lane: string) {
  const jobs = await tx.selectFrom('job').select('id').where('lane', '=', lane).execute()
  await lockJobs(
    db,
    tx,
    jobs.map(({ id }) => id),
  )
}

/** Null is a value, too. */
const given = <Value>(value: Value | undefined, present: Value): Value => (value === undefined ? present : value)
