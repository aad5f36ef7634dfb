import type { Context } from '../../../platform/context.ts'
import type { Job } from '../../../platform/jobs/job.ts'
import type { Running } from '../../../platform/jobs/worker/worker.ts'
import type { Notice } from '../../../platform/notice.ts'
import { quietUntil } from '../../../shared/quiet-until.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import { Active } from '../../../shared/user.ts'
import { deliveries, newMessageId } from '../../jobs.ts'
import { confirmationMail } from '../confirm.ts'
import { messageOf } from '../message.ts'
import { insertPending, pendingOf } from '../queue.ts'
import { channelChanged, readChannel } from '../store.ts'
import type { Outcome } from '../types/channel-type.ts'
import { sendMail } from './mail.ts'
import {
  type Attempt,
  accepted,
  end,
  hasSameSettings,
  later,
  nextReminder,
  notAccepted,
  type SendingContext,
  type Sent,
  waitOf,
  works,
} from './outcome.ts'
import { composeMessage, deletePending, dropSpareJobs, isPending, nextMessage, restOfMinute } from './pending.ts'
import { send } from './send.ts'

const shortWait = seconds(1)
/** How often the mail that confirms an address is tried. */
const fewAttempts = 5

/** Notices of all entries of a user that fail or are blocked now. */
export type StillFailing = (ownerId: string) => Promise<readonly Notice[]>
export type DeliveryContext = SendingContext & { stillFailing: StillFailing }

/** Does a job of a channel; `message` is the id of its message if that was decided with the job. */
export async function deliverByChannel(
  context: DeliveryContext,
  job: Job,
  { channel: id, message = job.id }: { channel: string; message?: string | undefined },
  running: Running,
): Promise<Sent> {
  const found = await senderOf(context, id)
  if (!found) return end(job)
  const attempt = { ...running, job, context, channel: found.channel }
  if (job.kind === deliveries.test) return sendTest(attempt, message)
  if (job.kind === deliveries.confirmation) return sendConfirmation(attempt)
  return withoutSpares(attempt, await sendNext(attempt, found.isActive, context.stillFailing))
}

/** A channel as it is now, and whether its user may be told anything. */
async function senderOf({ db, secrets }: Pick<Context, 'db' | 'secrets'>, id: string) {
  const row = await db.q
    .selectFrom('channel')
    .innerJoin('users', 'users.id', 'channel.user_id')
    .selectAll('channel')
    .select('users.status as user_status')
    .where('channel.id', '=', id)
    .executeTakeFirst()
  return row && { channel: readChannel(row, { secrets }), isActive: row.user_status === Active }
}

/** Sends the oldest message of a channel, or makes one of what waits. One message at a time: its lane is the channel. */
async function sendNext(attempt: Attempt, isActive: boolean, stillFailing: StillFailing): Promise<Sent> {
  const { job, channel, context, now, isOurs } = attempt
  if (!channel.status || !channel.confirmed || !isActive) return giveUp(attempt)
  const at = context.now()
  const quiet = channel.quiet === null ? undefined : quietUntil(channel.quiet, at)
  if (quiet !== undefined) return later(job, now() + quiet - at)
  // Two instances may each claim a job of the lane if an older one comes in between: then both step back.
  if (await isLaneTaken(attempt)) return later(job, now())
  const wait = restOfMinute(channel, at)
  if (wait > 0) return later(job, now() + wait)
  if (!(await nextMessage(context, channel))) {
    if (await isPending(context, channel)) await composeMessage(context, channel)
    else if (job.kind === deliveries.reminder) await composeReminder(attempt, stillFailing)
  }
  // Perhaps an instance that was killed is still making a message of it, which this job has to wait for.
  const isLeft = await isPending(context, channel)
  const next = await nextMessage(context, channel)
  if (!next) return isLeft ? later(job, now() + shortWait) : end(job)
  const offline = await context.offline.postpone({ id: job.id })
  // Another instance may be sending it.
  if (offline > 0 || !isOurs()) return later(job, now() + offline)
  const outcome = await send(context, channel, next.message, attempt)
  return outcome.kind === 'accepted'
    ? accepted(attempt, next.message, next.more || isLeft)
    : notAccepted(attempt, outcome)
}

/** While a channel is quiet or held, jobs would pile up, and run later for nothing. */
const withoutSpares = ({ job, context }: Attempt, { verdict, also }: Sent): Sent => ({
  verdict,
  also: async (tx) => {
    const events = (await also?.(tx)) ?? []
    const stays = job.kind === deliveries.notices && verdict.turnAt !== null
    await dropSpareJobs(context, tx, job, { stays })
    return events
  },
})

/** Nobody is to be told any of it. A channel that is switched on keeps its reminders, for when somebody is again. */
const giveUp = (attempt: Attempt): Sent => ({
  ...(attempt.channel.status ? nextReminder(attempt) : end(attempt.job)),
  also: async (tx) => {
    await deletePending(tx, attempt.channel.id)
    return []
  },
})

async function isLaneTaken({ job, channel, context }: Attempt): Promise<boolean> {
  const other = await context.db.q
    .selectFrom('job')
    .select('id')
    .where('lane', '=', channel.id)
    .where('id', '<>', job.id)
    .where('lease_by', 'is not', null)
    .where('free_at', '>', context.now())
    .executeTakeFirst()
  return other !== undefined
}

/** Makes a message of what still fails, as far as the channel hears of it. */
async function composeReminder({ channel, context }: Attempt, stillFailing: StillFailing): Promise<void> {
  if (channel.remindEvery === null) return
  const notices = await stillFailing(channel.userId)
  const rows = notices.flatMap((one) => pendingOf({ ...channel, isAdmin: false }, one) ?? [])
  const reminders = rows.map((row) => ({ ...row, type: 'reminder' as const }))
  await insertPending(context.db, context.db.q, reminders, context.now(), newMessageId())
}

/** Sends a test. Once it is accepted, whatever waits for this channel is sent, too. */
export async function sendTest(attempt: Attempt, messageId: string): Promise<Sent> {
  const { channel, context, job } = attempt
  // Its address was changed after the call, and hears nothing before it is confirmed.
  if (!channel.confirmed) return end(job)
  const facts = { id: messageId, kind: 'test' as const, at: context.now(), told: [], count: 0 }
  const message = messageOf(facts, { baseUrl: context.config.baseUrl, zone: 'UTC' })
  return resultOf(attempt, await send(context, channel, message, attempt), 0)
}

/** Mails a link to an address; a new one each time, since it is stored nowhere. */
export async function sendConfirmation(attempt: Attempt): Promise<Sent> {
  const { channel, context, job } = attempt
  if (channel.confirmed) return end(job)
  const mail = await confirmationMail(context, channel)
  if (!mail) return later(job, attempt.now())
  return resultOf(attempt, await sendMail(context.config, mail, newMessageId()), fewAttempts)
}

/** The most attempts at what failed; then its user sees why, unless the settings were corrected meanwhile. */
function resultOf(attempt: Attempt, outcome: Outcome, tries: number): Sent {
  const { job, channel, context, now } = attempt
  if (outcome.kind === 'again') return later(job, now() + outcome.wait)
  const isTriedAgain = (outcome.kind === 'failed' || outcome.kind === 'limited') && job.attempt < tries
  return {
    ...(isTriedAgain ? later(job, now() + Math.max(waitOf(outcome), minutes(1)), job.attempt + 1) : end(job)),
    also: async (tx) => {
      const at = context.now()
      if (outcome.kind === 'accepted') {
        await works(tx, attempt, { last_sent_at: at })
        await context.jobs.hurry(channel.id, at, tx, { skipLocked: true })
      } else if (await hasSameSettings(tx, attempt))
        await tx.updateTable('channel').set({ last_error: outcome.note }).where('id', '=', channel.id).execute()
      return [channelChanged(channel.userId, channel.id)]
    },
  }
}
