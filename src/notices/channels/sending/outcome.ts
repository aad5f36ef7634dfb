import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Job, Verdict } from '../../../platform/jobs/job.ts'
import type { Running } from '../../../platform/jobs/worker/worker.ts'
import type { LiveEvent } from '../../../platform/live/events.ts'
import { quote } from '../../../platform/notice.ts'
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { NoticesConfig } from '../../config.ts'
import { deliveries, reminderJob } from '../../jobs.ts'
import type { Message } from '../message.ts'
import { channelChanged, channelRow, readChannel, type StoredChannel } from '../store.ts'
import type { Outcome } from '../types/channel-type.ts'
import { deletePending } from './pending.ts'

export type Sent = { verdict: Verdict; also?: (tx: Queries) => Promise<readonly LiveEvent[]> }
export type SendingContext = Context<NoticesConfig>

const retries: readonly Milliseconds[] = [seconds(5), seconds(30), minutes(2), minutes(10), minutes(30)]
const hour = hours(1)
/** A channel is switched off after failing for this long, and for `fewestAttempts`. */
const longestFailure: Milliseconds = days(1)
const fewestAttempts = 5

export const endJob = (job: Job): Sent => ({ verdict: { id: job.id, turnAt: null, dueAt: 0, attempt: 0 } })
export const postponeJob = (job: Job, dueAt: Instant, attempt = job.attempt): Sent => ({
  verdict: { id: job.id, turnAt: job.turnAt, dueAt: Math.ceil(dueAt), attempt },
})
/** Schedules the next reminder if the channel has reminders; ends any other job. */
export function nextReminder({ job, channel: { remindEvery }, now }: Attempt): Sent {
  if (job.kind !== deliveries.reminder || remindEvery === null) return endJob(job)
  const turnAt = Math.ceil(now() + hours(remindEvery))
  return { verdict: { id: job.id, turnAt, dueAt: turnAt, attempt: 0 } }
}

export type Attempt = Running & { job: Job; channel: StoredChannel; context: SendingContext }

/** Deletes the message in the transaction that reschedules or ends the job. */
export function handleAccepted(
  attempt: Attempt,
  { message, more }: { message: Message; more: boolean },
  hasPending: boolean,
): Sent {
  const { job, channel, context, now } = attempt
  const { remindEvery } = channel
  const isReminderJob = job.kind === deliveries.reminder
  const isReminder = isReminderJob && (message.kind === 'reminder' || message.kind === 'stillBlocked')
  const next = more || hasPending || isReminderJob ? postponeJob(job, now(), 0) : endJob(job)
  const isLasting = message.kind === 'failing' || message.kind === 'blocked'
  return {
    ...(isReminder && !more ? nextReminder(attempt) : next),
    also: async (tx) => {
      const at = context.now()
      await deletePending(tx, channel.id, message.id)
      await recordSuccess(tx, attempt, { last_sent_at: at, told_at: at })
      if (remindEvery !== null && isLasting)
        await context.jobs.add(reminderJob(channel.id, at + hours(remindEvery), at), tx)
      return [channelChanged(channel.userId, channel.id)]
    },
  }
}

/** Records a successful message. Clears the channel's error only if its settings haven't changed since. */
export async function recordSuccess(
  tx: Queries,
  attempt: Attempt,
  times: { last_sent_at: Instant; told_at?: Instant },
): Promise<void> {
  const isAboutIt = await hasSameSettings(tx, attempt)
  await tx
    .updateTable('channel')
    .set({ ...times, ...(isAboutIt && { failing_since: null, refused_since: null, last_error: null }) })
    .where('id', '=', attempt.channel.id)
    .execute()
}

/** Whether a channel still has the settings of this attempt. Locks it until the transaction ends. */
export async function hasSameSettings(tx: Queries, { channel, context }: Attempt): Promise<boolean> {
  const row = await channelRow(context.db, tx, channel, true)
  return row !== undefined && isDeepStrictEqual(readChannel(row, context).settings, channel.settings)
}

export function handleFailure(attempt: Attempt, outcome: Exclude<Outcome, { kind: 'accepted' }>): Sent {
  const { job, channel, context, now } = attempt
  if (outcome.kind === 'again') return postponeJob(job, now() + outcome.wait)
  // A mail server's failure says nothing about the address of a channel.
  const isChannelsFault = !channel.kind.isMail || outcome.kind === 'refused'
  const faultySince = channel.kind.isMail ? channel.refusedSince : channel.failingSince
  const isOver =
    isChannelsFault &&
    faultySince !== null &&
    context.now() - faultySince >= longestFailure &&
    job.attempt >= fewestAttempts
  const wait =
    outcome.kind === 'limited' ? outcome.wait : Math.max(waitOf(outcome), waitAfter(job.attempt, outcome.kind))
  return {
    ...postponeJob(job, now() + wait, job.attempt + 1),
    also: async (tx) => {
      const at = context.now()
      const { numUpdatedRows } = await tx
        .updateTable('channel')
        .set({
          last_error: outcome.note,
          failing_since: channel.failingSince ?? at,
          refused_since: channel.kind.isMail && isChannelsFault ? (channel.refusedSince ?? at) : null,
          ...(isOver && { status: 0 as const }),
        })
        .where('id', '=', channel.id)
        .where('updated_at', '=', channel.updatedAt)
        .executeTakeFirst()
      // The channel was edited during the attempt, so the outcome says nothing about its new settings.
      if (numUpdatedRows === 0n) await context.jobs.hurry(channel.id, at, tx, { skipLocked: true })
      const liveEvents = isOver && numUpdatedRows > 0n ? await notifySwitchedOff(attempt, outcome.note, tx) : []
      return [...liveEvents, channelChanged(channel.userId, channel.id)]
    },
  }
}

export const waitOf = (outcome: Outcome): Milliseconds => ('wait' in outcome && outcome.wait) || 0

const waitAfter = (attempts: number, kind: 'refused' | 'failed'): Milliseconds =>
  kind === 'refused' ? hour : (retries[attempts] ?? hour)

/** Drops a channel's pending messages, and notifies its user and admins in other ways. */
async function notifySwitchedOff(
  { channel, context }: Attempt,
  note: string,
  tx: Queries,
): Promise<readonly LiveEvent[]> {
  await deletePending(tx, channel.id)
  const called = `${channel.kind.label} channel${channel.name === null ? '' : ` ${quote(channel.name)}`}`
  // The note is untrusted: it may contain text from the channel's service.
  const why = `because it had failed for 24 hours: ${quote(note)}`
  const user = await tx.selectFrom('users').select('email').where('id', '=', channel.userId).executeTakeFirst()
  return context.notify(tx, [
    { type: 'account', userId: channel.userId, message: `Your ${called} was switched off ${why}.` },
    { type: 'operator', message: `The ${called} of ${user ? quote(user.email) : 'a user'} was switched off ${why}.` },
  ])
}
