import type { Context } from '../../../platform/context.ts'
import type { Job, Verdict } from '../../../platform/jobs/job.ts'
import type { Running, Task } from '../../../platform/jobs/worker/worker.ts'
import type { Notice } from '../../../platform/notice.ts'
import { quietUntil } from '../../../shared/quiet/quiet-until.ts'
import { seconds } from '../../../shared/time.ts'
import { Active } from '../../../shared/user.ts'
import { newsRow } from '../hears.ts'
import { channelJobs, newMessageId, payloadOf } from '../jobs.ts'
import { insertNews } from '../queue.ts'
import { readChannel } from '../store.ts'
import {
  type Attempt,
  accepted,
  end,
  later,
  nextReminder,
  notAccepted,
  type SendingContext,
  type Sent,
} from './outcome.ts'
import { composeMessage, dropSpareJobs, forgetNews, isPending, nextMessage, restOfMinute } from './pending.ts'
import { send } from './send.ts'
import { sendConfirmation, sendTest } from './send-once.ts'

const shortWait = seconds(1)

/** News of all entries of a user that fail or are blocked now. */
export type StillFailing = (ownerId: string) => Promise<readonly Notice[]>
type TellContext = SendingContext & { stillFailing: StillFailing }

/** The tasks of jobs that belong to channels, prepared by one query. */
export async function prepareChannels(
  context: TellContext,
  jobs: readonly Job[],
): Promise<Map<string, Task<Sent> | Verdict>> {
  if (jobs.length === 0) return new Map()
  const rows = await context.db.q
    .selectFrom('channel')
    .select(['id', 'user_id'])
    .where(
      'id',
      'in',
      jobs.map((job) => payloadOf(job).channel),
    )
    .execute()
  const owners = new Map(rows.map((row) => [row.id, row.user_id]))
  return new Map(
    jobs.map((job): [string, Task<Sent> | Verdict] => {
      const { channel } = payloadOf(job)
      const ownerId = owners.get(channel)
      if (ownerId === undefined) return [job.id, end(job).verdict]
      return [job.id, { target: `channel ${channel}`, ownerId, run: (running) => run(context, job, running) }]
    }),
  )
}

async function run(context: TellContext, job: Job, running: Running): Promise<Sent> {
  const { channel: id, message = job.id } = payloadOf(job)
  const found = await senderOf(context, id)
  if (!found) return end(job)
  const attempt = { ...running, job, context, channel: found.channel }
  if (job.kind === channelJobs.test) return sendTest(attempt, message)
  if (job.kind === channelJobs.confirmation) return sendConfirmation(attempt)
  return withoutSpares(attempt, await tell(attempt, found.isActive, context.stillFailing))
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
async function tell(attempt: Attempt, isActive: boolean, stillFailing: StillFailing): Promise<Sent> {
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
    else if (job.kind === channelJobs.reminder) await composeReminder(attempt, stillFailing)
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
    const stays = job.kind === channelJobs.news && verdict.turnAt !== null
    await dropSpareJobs(context, tx, job, { stays })
    return events
  },
})

/** Nobody is to be told any of it. A channel that is switched on keeps its reminders, for when somebody is again. */
const giveUp = (attempt: Attempt): Sent => ({
  ...(attempt.channel.status ? nextReminder(attempt) : end(attempt.job)),
  also: async (tx) => {
    await forgetNews(tx, attempt.channel.id)
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
  const news = await stillFailing(channel.userId)
  const rows = news.flatMap((one) => newsRow({ ...channel, isAdmin: false }, one) ?? [])
  const reminders = rows.map((row) => ({ ...row, type: 'reminder' as const }))
  await insertNews(context.db, context.db.q, reminders, context.now(), newMessageId())
}
