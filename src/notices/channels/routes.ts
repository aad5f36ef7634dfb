import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { AuditRecord } from '../../people/audit/log.ts'
import { lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockJobs } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import { transact } from '../../platform/db/transact.ts'
import { type ActingUser, actingUserOf } from '../../platform/http/access/actor.ts'
import { callerOf, open, requireRecentProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { inboxChanged } from '../../platform/live/events.ts'
import { callerDeleted, HttpError, invalid, notFound } from '../../shared/http-error.ts'
import { hours, laterThan } from '../../shared/time.ts'
import { channelTitle } from '../../shared/title.ts'
import { can } from '../../shared/user.ts'
import { auditAndNotify } from '../account-changes.ts'
import type { NoticesConfig } from '../config.ts'
import { confirmationJob, reminderId, reminderJob, testJob } from '../jobs.ts'
import { type Channel, type ChannelBody, channelCalls, type NewChannelBody } from './contract.ts'
import { type Listener, pendingOf, type StillFailing } from './queue.ts'
import {
  channelChanged,
  channelRow,
  channelsOf,
  columnsOf,
  completeSettings,
  confirmAddress,
  confirmationLimit,
  invalidSettings,
  maskSettings,
  readChannel,
  type StoredChannel,
  toChannel,
} from './store.ts'
import type { ChannelType } from './types/channel-type.ts'
import { channelTypeOf, channelTypes } from './types/index.ts'

/** Whether an admin subscribes to events about this server. Other users are refused later, even with a recent proof. */
const subscribesToServerEvents = ({ user }: ActingUser, events: readonly string[] = []) =>
  events.includes('operator') && can(user, 'Admin', 2)

/** API keys can't use these routes. */
export function channelRoutes(
  app: App,
  base: Context<NoticesConfig>,
  entries: Pick<ChannelContext, 'toolIds' | 'ownEntries' | 'stillFailing'>,
): void {
  const { jobs, now, events, visitLimits } = base
  const consumeConfirmation = confirmationLimit(base.elapsed)
  const context = { ...base, ...entries, consumeConfirmation }
  const types = channelTypes
    .filter((type) => type.isOffered(base.config))
    .map(({ id, label, Settings }) => ({ id, label, fields: { ...z.toJSONSchema(Settings) } }))

  const route = routesOf(app, channelCalls, 'Your account')
  route(
    'GET /api/v1/user/channels',
    { ...signedIn('never'), summary: 'List your channels, oldest first' },
    async (request) => (await channelsOf(base, callerOf(request).user.id)).map(toChannel),
  )

  route(
    'GET /api/v1/user/channels/types',
    {
      ...signedIn('never'),
      summary: 'List the types of channels',
      description: 'Each type has a JSON Schema of its settings, in which secrets are `writeOnly`.',
    },
    () => types,
  )

  route(
    'POST /api/v1/user/channels',
    {
      ...signedIn('never'),
      summary: 'Create a channel; only this response has its secrets in full',
      failures: [403, 409, 429],
      description: 'A channel for events about this server (`operator`) requires recent re-authentication.',
    },
    async (request) => {
      const by = actingUserOf(request)
      if (subscribesToServerEvents(by, request.body.events)) requireRecentProof(request)
      const created = await createChannel(context, by, request.body)
      events.publish([channelChanged(by.user.id, created.id), inboxChanged(by.user.id)])
      return created
    },
  )

  route(
    'PATCH /api/v1/user/channels',
    {
      ...signedIn('never'),
      summary: 'Change a channel',
      failures: [403, 404, 409, 429],
      description: 'Settings that are omitted, or masked as they were read, stay.',
    },
    async (request) => {
      const by = actingUserOf(request)
      const { events: before } = await ownChannel(base, { id: request.body.id, userId: by.user.id })
      const after = request.body.events ?? before
      // An attacker with a stolen session must not be able to redirect messages about the server.
      const redirectsServerEvents = !before.includes('operator') || request.body.settings !== undefined
      if (subscribesToServerEvents(by, after) && redirectsServerEvents) requireRecentProof(request)
      const changed = await changeChannel(context, by, request.body)
      events.publish([channelChanged(by.user.id, changed.id), inboxChanged(by.user.id)])
      return changed
    },
  )

  route(
    'DELETE /api/v1/user/channels',
    { ...signedIn('never'), summary: 'Delete a channel', failures: [404] },
    async (request) => {
      const { user } = callerOf(request)
      const { id } = request.query
      await removeChannel(context, user, id)
      events.publish([channelChanged(user.id, id)])
      return { id }
    },
  )

  route(
    'POST /api/v1/user/channels/test?id',
    {
      ...signedIn('never'),
      summary: 'Send a test message',
      failures: [404, 429],
      description: 'If the address of an email channel is not confirmed yet, a new link is sent instead.',
    },
    async (request) => {
      const { user } = callerOf(request)
      const { id, confirmed, settings } = await ownChannel(base, { id: request.query.id, userId: user.id })
      visitLimits.consumeCheck(user.id)
      if (!confirmed) consumeConfirmation(user.id, settings.to)
      // Replaces a job that still hangs, perhaps at an address that was corrected since.
      await jobs.plan(confirmed ? testJob(id, now()) : confirmationJob(id, now()))
      jobs.wake()
      return { id }
    },
  )

  route(
    'POST /api/v1/user/channels/confirm',
    {
      ...open('never'),
      summary: 'Confirm an email address with the token that was mailed to it',
      failures: [403],
    },
    async (request) => {
      const { to, userId, id } = await confirmAddress(base, request.body.token)
      events.publish([channelChanged(userId, id)])
      return { to }
    },
  )
}

const mostChannels = 20
type User = ActingUser['user']
type ChannelContext = Context<NoticesConfig> & {
  toolIds: readonly string[]
  ownEntries: (userId: string, ids: readonly string[]) => Promise<readonly string[]>
  stillFailing: StillFailing
  /** Counts a mail to an unconfirmed address against its limits. Throws a 429 if one is reached. */
  consumeConfirmation: (userId: string, address: unknown) => void
}

/** Only this result contains the channel's secrets in full. */
async function createChannel(
  context: ChannelContext,
  { user, actor }: ActingUser,
  body: NewChannelBody,
): Promise<Channel> {
  const kind = offeredType(context, body.type)
  const { id: _, ...wanted } = body
  await checkChoice(context, user, wanted)
  context.visitLimits.consumeUrl(user.id)
  const settings = completeSettings(kind, wanted.settings)
  await checkUrl(context, user, kind, settings)
  const confirmed = !kind.isMail
  if (!confirmed) context.consumeConfirmation(user.id, settings.to)
  const id = randomUUID()
  const isFailing = await coversFailure(context, { ...wanted, id, userId: user.id, type: kind.id })
  const at = context.now()
  const created = await transact(context.db, async (tx) => {
    await requireRoom(context, tx, user.id)
    const columns = columnsOf({ ...wanted, settings, confirmed }, context)
    const row = { id, user_id: user.id, type: kind.id, created_at: at, updated_at: at, ...columns }
    // Notify before the insert, so that only existing channels report the new one.
    await auditAndNotify(
      context,
      tx,
      at,
      user.id,
      channelRecord('channel.create', { user, actor }, { name: wanted.name, kind, settings }),
    )
    const inserted = await tx.insertInto('channel').values(row).returningAll().executeTakeFirstOrThrow()
    if (!confirmed) await context.jobs.add(confirmationJob(id, at), tx)
    // Failures may have begun before the channel.
    if (isFailing && body.status && body.remindEvery !== null)
      await context.jobs.add(reminderJob(id, at + hours(body.remindEvery), at), tx)
    return inserted
  })
  context.jobs.wake()
  return { ...toChannel(readChannel(created, context)), settings }
}

/** Updates a channel and retries its messages immediately. */
async function changeChannel(context: ChannelContext, by: ActingUser, body: ChannelBody): Promise<Channel> {
  const { user } = by
  const channelRef = { id: body.id, userId: user.id }
  const before = await ownChannel(context, channelRef)
  if (body.type !== undefined && body.type !== before.type)
    throw invalid('type', 'Create a new channel to use another type.')
  await checkChoice(context, user, body, before)
  context.visitLimits.consumeUrl(user.id)
  const settings = body.settings ? completeSettings(before.kind, body.settings, before.settings) : before.settings
  const settingsChanged = !isDeepStrictEqual(settings, before.settings)
  if (settingsChanged) await checkUrl(context, user, before.kind, settings)
  const emailChanged = before.kind.isMail && settings.to !== before.settings.to
  if (emailChanged) context.consumeConfirmation(user.id, settings.to)
  const after: StoredChannel = {
    ...before,
    name: definedOr(body.name, before.name),
    status: definedOr(body.status, before.status),
    events: definedOr(body.events, before.events),
    tools: definedOr(body.tools, before.tools),
    entries: definedOr(body.entries, before.entries),
    quiet: definedOr(body.quiet, before.quiet),
    remindEvery: definedOr(body.remindEvery, before.remindEvery),
    settings,
  }
  const { id } = before
  const isFailing = await coversFailure(context, after)
  await transact(context.db, async (tx) => {
    await lockLane(context, tx, id)
    const row = await channelRow(context.db, tx, channelRef, true)
    if (!row) throw notFound('Channel')
    if (row.updated_at !== before.updatedAt)
      throw new HttpError(409, 'This channel was changed in the meantime. Try again.')
    const at = context.now()
    const clearsFailure = settingsChanged || (after.status && !before.status)
    const cleared = { failing_since: null, refused_since: null, last_error: null }
    // Opening the link may have confirmed the address meanwhile, which doesn't count as an edit.
    const confirmed = row.confirmed === 1 && !emailChanged
    await tx
      .updateTable('channel')
      .set({
        ...columnsOf({ ...after, confirmed }, context),
        updated_at: laterThan(before.updatedAt, at),
        ...(clearsFailure && cleared),
      })
      .where('id', '=', id)
      .execute()
    if (settingsChanged) await auditAndNotify(context, tx, at, user.id, channelRecord('channel.edit', by, after))
    if (emailChanged) await tx.updateTable('channel').set({ confirm_hash: null }).where('id', '=', id).execute()
    if (emailChanged) await context.jobs.plan(confirmationJob(id, at), tx)
    if (!after.status) await tx.deleteFrom('channel_news').where('channel_id', '=', id).execute()
    await context.jobs.hurry(id, at, tx)
    if (after.remindEvery === null) await context.jobs.cancel(reminderId(id), tx)
    else if (isFailing && after.status) {
      // The first reminder is due after this time, even of failures that began before the channel covered them.
      const reminder = reminderJob(id, at + hours(after.remindEvery), at)
      const isMoved = !before.status || after.remindEvery !== before.remindEvery
      await (isMoved ? context.jobs.plan(reminder, tx) : context.jobs.add(reminder, tx))
    }
  })
  context.jobs.wake()
  return toChannel(await ownChannel(context, channelRef))
}

/** Whether an entry that the channel covers is failing or blocked now. */
async function coversFailure({ stillFailing }: ChannelContext, channel: Omit<Listener, 'isAdmin'>): Promise<boolean> {
  const notices = await stillFailing(channel.userId)
  return notices.some((one) => pendingOf({ ...channel, isAdmin: false }, one) !== undefined)
}

/** Masks the channel's address, since it may contain a secret. */
const channelRecord = (
  action: 'channel.create' | 'channel.edit',
  { user, actor }: ActingUser,
  { name, kind, settings }: Pick<StoredChannel, 'name' | 'kind' | 'settings'>,
): AuditRecord => {
  const { label } = kind
  return {
    actor,
    action,
    target: { id: user.id, name: user.email },
    changes: [
      {
        field: 'channel',
        from: null,
        to: `${channelTitle({ name, settings: maskSettings(kind, settings) }, label)} (${label})`,
      },
    ],
  }
}

async function removeChannel(context: ChannelContext, user: User, id: string): Promise<void> {
  await transact(context.db, async (tx) => {
    await lockLane(context, tx, id)
    const row = await channelRow(context.db, tx, { id, userId: user.id }, true)
    if (!row) throw notFound('Channel')
    await tx.deleteFrom('job').where('lane', '=', id).where('entry_id', 'is', null).execute()
    await tx.deleteFrom('channel').where('id', '=', id).execute()
  })
}

async function ownChannel(
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

/** Refuses events for admins only, unknown tools, and other users' entries. What the channel had before may stay. */
async function checkChoice({ toolIds, ownEntries }: ChannelContext, user: User, choice: Choice, before?: Choice) {
  const addsServerEvents = choice.events?.includes('operator') && !before?.events?.includes('operator')
  if (addsServerEvents && !can(user, 'Admin', 2))
    throw invalid('events', 'Only admins can get messages about this server.')
  const unknown = choice.tools?.find((id) => !toolIds.includes(id) && !before?.tools?.includes(id))
  if (unknown !== undefined) throw invalid('tools', `Use some of these: ${toolIds.join(', ')}.`)
  const added = choice.entries?.filter((id) => !before?.entries?.includes(id)) ?? []
  const own = new Set(added.length > 0 ? await ownEntries(user.id, added) : [])
  const foreign = added.find((id) => !own.has(id))
  if (foreign !== undefined) throw invalid('entries', `You have no entry with the ID ${foreign}.`)
}

async function checkUrl({ outbound }: ChannelContext, user: User, kind: ChannelType, settings: Channel['settings']) {
  if (!kind.checksUrl) return
  const why = await outbound.refusalReason(String(settings.url), user.id)
  if (why) throw invalidSettings({ url: why })
}

/** Throws a 409 at the limit of channels. Locks the user's row, so that concurrent calls count in sequence. */
async function requireRoom({ db }: ChannelContext, tx: Queries, userId: string) {
  await lockUser(db, tx, { id: userId }, callerDeleted)
  const count = await countRows(tx.selectFrom('channel').where('user_id', '=', userId))
  if (count >= mostChannels) throw new HttpError(409, `You've reached the limit of ${mostChannels} channels.`)
}

/** Locks a channel's jobs. Call it before locking the channel, to keep the worker's order. */
async function lockLane({ db }: ChannelContext, tx: Queries, lane: string) {
  const jobs = await tx.selectFrom('job').select('id').where('lane', '=', lane).execute()
  await lockJobs(db, tx, jobs)
}

/** Like `??`, but keeps null, which is a valid value. */
const definedOr = <Value>(value: Value | undefined, fallback: Value): Value => (value === undefined ? fallback : value)
