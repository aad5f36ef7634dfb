import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { type By, byOf } from '../../platform/http/access/actor.ts'
import { callerOf, insistOnProof, open, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { proofNeeded, tooManyUrls, tooManyVisits } from '../../platform/http/description/failures.ts'
import { inboxChanged } from '../../platform/live/events.ts'
import { can } from '../../shared/user.ts'
import type { NoticesConfig } from '../config.ts'
import { confirmationJob, testJob } from '../jobs.ts'
import { confirmAddress, confirmationLimit } from './confirm.ts'
import { channelCalls } from './contract.ts'
import { type ChannelContext, changeChannel, createChannel, ownChannel, removeChannel } from './edit.ts'
import { channelChanged, channelRowsOf, readChannel, shown } from './store.ts'
import { channelTypes } from './types/index.ts'

/** Others are refused, however recently they signed in. */
const hearsOfServer = ({ user }: By, events: readonly string[] = []) =>
  events.includes('operator') && can(user, 'Admin', 2)

const noChannel = 'Channel not found.'

/** The calls by which users manage how they are notified; no API key may make them. */
export function channelRoutes(
  app: App,
  base: Context<NoticesConfig>,
  entries: Pick<ChannelContext, 'toolIds' | 'ownEntries'>,
): void {
  const { db, jobs, now, events, visitLimits, log } = base
  const takeConfirmation = confirmationLimit(base.elapsed)
  const context = { ...base, ...entries, takeConfirmation }
  const types = channelTypes
    .filter((type) => type.isOffered(base.config))
    .map(({ id, label, Settings }) => ({ id, label, fields: { ...z.toJSONSchema(Settings) } }))

  const route = routesOf(app, channelCalls, 'Your account')
  route(
    'GET /api/v1/user/channels',
    { ...signedIn('never'), summary: 'List your channels, oldest first' },
    async (request) => {
      const rows = await channelRowsOf(db.q, callerOf(request).user.id)
      return rows.flatMap((row) => {
        try {
          return [shown(readChannel(row, base))]
        } catch (error) {
          log.error({ err: error, channel: row.id }, 'A channel cannot be read and is left out of a list.')
          return []
        }
      })
    },
  )

  route(
    'GET /api/v1/user/channels/types',
    {
      ...signedIn('never'),
      summary: 'List the types of channels',
      description: 'The settings of each type are described by a JSON Schema, in which secrets are `writeOnly`.',
    },
    () => types,
  )

  route(
    'POST /api/v1/user/channels',
    {
      ...signedIn('never'),
      summary: 'Create a channel; its secrets are shown in full only once',
      failures: { 403: proofNeeded, 409: "You've reached the limit of 20 channels.", 429: tooManyUrls },
      description: 'One that hears of this server (`operator`) needs a recent proof.',
    },
    async (request) => {
      const by = byOf(request)
      if (hearsOfServer(by, request.body.events)) insistOnProof(request)
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
      failures: {
        403: proofNeeded,
        404: noChannel,
        409: 'This channel was changed in the meantime. Try again.',
        429: tooManyUrls,
      },
      description: 'Settings that are left out, or masked as they were read, stay.',
    },
    async (request) => {
      const by = byOf(request)
      const { events: before } = await ownChannel(base, { id: request.body.id, userId: by.user.id })
      const after = request.body.events ?? before
      // Messages about the server must not go where a stolen session sends them.
      const isNew = !before.includes('operator') || request.body.settings !== undefined
      if (hearsOfServer(by, after) && isNew) insistOnProof(request)
      const changed = await changeChannel(context, by, request.body)
      events.publish([channelChanged(by.user.id, changed.id), inboxChanged(by.user.id)])
      return changed
    },
  )

  route(
    'DELETE /api/v1/user/channels',
    { ...signedIn('never'), summary: 'Delete a channel', failures: { 404: noChannel } },
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
      failures: {
        404: noChannel,
        429: [tooManyVisits, 'Too many emails to this address. Try again in 3600 seconds.'],
      },
      description: 'An email channel whose address is not confirmed yet is sent a new link instead.',
    },
    async (request) => {
      const { user } = callerOf(request)
      const { id, confirmed, settings } = await ownChannel(base, { id: request.query.id, userId: user.id })
      visitLimits.takeCheck(user.id)
      if (!confirmed) takeConfirmation(user.id, settings.to)
      // One that still hangs, perhaps at an address that was corrected since, counts no longer.
      await jobs.plan(confirmed ? testJob(id, now()) : confirmationJob(id, now()))
      jobs.wake()
      return { id }
    },
  )

  route(
    'POST /api/v1/user/channels/confirm',
    {
      ...open('never'),
      summary: 'Confirm an email address by the token that was mailed to it',
      failures: { 403: 'This link has expired or was already used. Send a new one from your profile.' },
    },
    async (request) => {
      const { to, userId, id } = await confirmAddress(base, request.body.token)
      events.publish([channelChanged(userId, id)])
      return { to }
    },
  )
}
