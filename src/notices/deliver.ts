import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { parseJson } from '../platform/body.ts'
import type { Context } from '../platform/context.ts'
import { redact } from '../platform/crypto/redact.ts'
import { transact } from '../platform/db/transact.ts'
import type { Job, Verdict } from '../platform/jobs/job.ts'
import type { Running, Task } from '../platform/jobs/worker/worker.ts'
import { callWebhook, requestedWait, type WebhookAnswer } from '../platform/net/discord.ts'
import type { OutboundAnswer } from '../platform/net/outbound.ts'
import { quietUntil } from '../shared/quiet-until.ts'
import { minutes, seconds } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import { type Message, messageOf, truncate } from './channels/message.ts'
import { insertPending, pendingOf, type StillFailing } from './channels/queue.ts'
import { sendMail } from './channels/sending/mail.ts'
import {
  type Attempt,
  endJob,
  handleAccepted,
  handleFailure,
  hasSameSettings,
  nextReminder,
  postponeJob,
  recordSuccess,
  type SendingContext,
  type Sent,
  waitOf,
} from './channels/sending/outcome.ts'
import {
  composeMessage,
  deletePending,
  dropSpareJobs,
  isPending,
  messageWait,
  nextMessage,
} from './channels/sending/pending.ts'
import { channelChanged, confirmationMail, readChannel, type StoredChannel } from './channels/store.ts'
import type { Call, Outcome } from './channels/types/channel-type.ts'
import type { NoticesConfig } from './config.ts'
import { channelOf, deliveries, newMessageId, payloadOf } from './jobs.ts'
import { deliverMail, queueResetLink } from './mail.ts'

/** Returns a task or a result for each job. Loads all their channels with a single query. */
export async function prepareDeliveries(
  context: DeliveryContext,
  jobs: readonly Job[],
): Promise<Map<string, Task<Sent> | Verdict>> {
  const { db } = context
  const channels = jobs.flatMap((job) => channelOf(job) ?? [])
  const rows =
    channels.length === 0
      ? []
      : await db.q.selectFrom('channel').select(['id', 'user_id']).where('id', 'in', channels).execute()
  const owners = new Map(rows.map((row) => [row.id, row.user_id]))

  function taskOf(job: Job): Task<Sent> | Verdict {
    const payload = payloadOf(job)
    // All mails share one target, so that at most two are sent to the mail server at a time.
    if ('mail' in payload) {
      const run: Task<Sent>['run'] = (running) => deliverMail(context, job, payload.mail, running)
      return { target: 'mail server', ownerId: 'mails', run }
    }
    if ('email' in payload)
      return {
        target: 'forgotten passwords',
        ownerId: 'mails',
        run: () => queueResetLink(context, job, payload.email),
      }
    const ownerId = owners.get(payload.channel)
    if (ownerId === undefined) return endJob(job).verdict
    const run: Task<Sent>['run'] = (running) => deliverByChannel(context, job, payload, running)
    return { target: `channel ${payload.channel}`, ownerId, run }
  }

  return new Map(jobs.map((job) => [job.id, taskOf(job)]))
}

const pause = seconds(1)
const fewRetries = 5

export type DeliveryContext = SendingContext & { stillFailing: StillFailing }

/** `message` is the message's id if it was set when the job was created. */
export async function deliverByChannel(
  context: DeliveryContext,
  job: Job,
  { channel: id, message: messageId = job.id }: { channel: string; message?: string | undefined },
  running: Running,
): Promise<Sent> {
  const found = await loadChannel(context, id)
  if (!found) return endJob(job)
  const attempt = { ...running, job, context, channel: found.channel }
  if (job.kind === deliveries.test) return sendTest(attempt, messageId)
  if (job.kind === deliveries.confirmation) return sendConfirmation(attempt)
  return droppingRedundantJobs(attempt, await sendNext(attempt, found.isActive, context.stillFailing))
}

async function loadChannel({ db, secrets }: Pick<Context, 'db' | 'secrets'>, id: string) {
  const row = await db.q
    .selectFrom('channel')
    .innerJoin('users', 'users.id', 'channel.user_id')
    .selectAll('channel')
    .select('users.status as user_status')
    .where('channel.id', '=', id)
    .executeTakeFirst()
  return row && { channel: readChannel(row, { secrets }), isActive: row.user_status === Active }
}

/** Sends a channel's oldest message, or composes one from pending notices. Jobs of a lane run one at a time. */
async function sendNext(attempt: Attempt, isActive: boolean, stillFailing: StillFailing): Promise<Sent> {
  const { job, channel, context, now, holdsLease } = attempt
  if (!channel.status || !channel.confirmed || !isActive) return dropPending(attempt)
  const at = context.now()
  const quiet = channel.quiet === null ? undefined : quietUntil(channel.quiet, at)
  if (quiet !== undefined) return postponeJob(job, now() + quiet - at)
  // Two instances can each claim a job of the lane if an older job is added in between. Then both postpone theirs.
  if (await context.jobs.isLaneTaken(job.id, channel.id)) return postponeJob(job, now())
  const wait = messageWait(channel, at)
  if (wait > 0) return postponeJob(job, now() + wait)
  if (!(await nextMessage(context, channel))) {
    if (await isPending(context, channel)) await composeMessage(context, channel)
    else if (job.kind === deliveries.reminder) await composeReminder(attempt, stillFailing)
  }
  // The database may still be composing a message for a killed instance; this job has to wait for it.
  const hasPending = await isPending(context, channel)
  const next = await nextMessage(context, channel)
  if (!next) return hasPending ? postponeJob(job, now() + pause) : endJob(job)
  const offline = await context.offline.postpone({ id: job.id })
  // If the lease was lost, another instance may be sending the message.
  if (offline > 0 || !holdsLease()) return postponeJob(job, now() + offline)
  const outcome = await send(context, channel, next.message, attempt)
  return outcome.kind === 'accepted' ? handleAccepted(attempt, next, hasPending) : handleFailure(attempt, outcome)
}

/** Drops a channel's redundant jobs: while it is quiet or held, they would pile up and later run for nothing. */
const droppingRedundantJobs = ({ job, context }: Attempt, { verdict, also }: Sent): Sent => ({
  verdict,
  also: async (tx) => {
    const events = (await also?.(tx)) ?? []
    const isKept = job.kind === deliveries.notices && verdict.turnAt !== null
    await dropSpareJobs(context, tx, job, { isKept })
    return events
  },
})

/** Drops all pending notices. A channel that is on keeps its reminders, in case its user becomes active again. */
const dropPending = (attempt: Attempt): Sent => ({
  ...(attempt.channel.status ? nextReminder(attempt) : endJob(attempt.job)),
  also: async (tx) => {
    await deletePending(tx, attempt.channel.id)
    return []
  },
})

/** Composes reminders of entries that still fail or are blocked, limited to those the channel covers. */
async function composeReminder({ channel, context }: Attempt, stillFailing: StillFailing): Promise<void> {
  if (channel.remindEvery === null) return
  const notices = await stillFailing(channel.userId)
  const rows = notices.flatMap((one) => pendingOf({ ...channel, isAdmin: false }, one) ?? [])
  // Together: this job would send one of them without the other, and then wait for the next interval.
  await transact(context.db, async (tx) => {
    for (const [type, reminder] of [
      ['failing', 'reminder'],
      ['blocked', 'stillBlocked'],
    ] as const) {
      const reminders = rows.flatMap((row) => (row.type === type ? [{ ...row, type: reminder }] : []))
      await insertPending(context.db, tx, reminders, context.now(), newMessageId())
    }
  })
}

/** Once the test is accepted, the channel's pending messages are sent too. */
export async function sendTest(attempt: Attempt, messageId: string): Promise<Sent> {
  const { channel, context, job } = attempt
  // The address was changed after the call, and gets no messages before it is confirmed.
  if (!channel.confirmed) return endJob(job)
  const facts = { id: messageId, kind: 'test' as const, at: context.now(), changes: [], count: 0 }
  const message = messageOf(facts, { baseUrl: context.config.baseUrl, zone: 'UTC' })
  return resultOf(attempt, await send(context, channel, message, attempt), 0)
}

/** Mails a confirmation link to an address. Each mail gets a new link, since links aren't stored. */
async function sendConfirmation(attempt: Attempt): Promise<Sent> {
  const { channel, context, job } = attempt
  if (channel.confirmed) return endJob(job)
  const mail = await confirmationMail(context, channel)
  if (!mail) return postponeJob(job, attempt.now())
  return resultOf(attempt, await sendMail(context.config, mail, newMessageId()), fewRetries)
}

/** Retries a failure up to `maxRetries` times. Shows the error to the user, unless the settings have changed since. */
function resultOf(attempt: Attempt, outcome: Outcome, maxRetries: number): Sent {
  const { job, channel, context, now } = attempt
  if (outcome.kind === 'again') return postponeJob(job, now() + outcome.wait)
  const isTriedAgain = (outcome.kind === 'failed' || outcome.kind === 'limited') && job.attempt < maxRetries
  return {
    ...(isTriedAgain ? postponeJob(job, now() + Math.max(waitOf(outcome), minutes(1)), job.attempt + 1) : endJob(job)),
    also: async (tx) => {
      const at = context.now()
      if (outcome.kind === 'accepted') {
        await recordSuccess(tx, attempt, { last_sent_at: at })
        await context.jobs.hurry(channel.id, at, tx, { skipLocked: true })
      } else if (await hasSameSettings(tx, attempt))
        await tx.updateTable('channel').set({ last_error: outcome.note }).where('id', '=', channel.id).execute()
      return [channelChanged(channel.userId, channel.id)]
    },
  }
}

const timeout = seconds(10)
const maxBytes = 64 * 1_024
const shortWait = seconds(5)
const defaultWait = minutes(1)

async function send(
  context: Context<NoticesConfig>,
  channel: StoredChannel,
  message: Message,
  { hasWaited }: { hasWaited: boolean },
): Promise<Outcome> {
  const what = channel.kind.send(channel.settings, message, { config: context.config, at: context.now() })
  const outcome =
    'mail' in what
      ? await sendMail(context.config, what.mail, message.id)
      : await call(context, channel, what.call, hasWaited)
  context.metrics.messages.inc({ type: channel.type, outcome: outcome.kind })
  return outcome
}

async function call(
  context: Context<NoticesConfig>,
  channel: StoredChannel,
  what: Call,
  hasWaited: boolean,
): Promise<Outcome> {
  const visitor = { ownerId: channel.userId, hasWaited }
  const { outbound, offline } = context
  const answer =
    'webhook' in what
      ? await callWebhook(context, what.webhook, { body: what.body, visitor })
      : await outbound.request(what.url, { ...what, visitor, method: 'POST', timeout, maxBytes, partialBody: true })
  if (answer.answered) {
    // The service moved the channel, but its readers are the same, so this doesn't count as an edit.
    const moved = { ...channel.settings, ...channel.kind.moved(parseJson(answer.body)) }
    if (isDeepStrictEqual(moved, channel.settings)) return outcomeOf(answer, channel)
    const settings = context.secrets.seal(JSON.stringify(moved), 'channel.settings')
    const row = context.db.q.updateTable('channel').set({ settings }).where('id', '=', channel.id)
    await row.where('updated_at', '=', channel.updatedAt).execute()
    return { kind: 'again', wait: shortWait }
  }
  const { failure, note, wait = shortWait } = answer
  if (failure === 'blocked') return { kind: 'refused', note }
  const isOurFault = failure === 'internal' || failure === 'busy' || offline.isOffline()
  return isOurFault ? { kind: 'again', wait } : { kind: 'failed', note }
}

type Answer = Extract<OutboundAnswer, { answered: true }>

function outcomeOf(answer: Answer & Pick<WebhookAnswer, 'wait'>, channel: StoredChannel): Outcome {
  const { status, wait } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const errorBody = readErrorBody(answer)
  const note = noteOf(status, errorBody.words, channel)
  if (wait !== undefined) return { kind: 'limited', note, wait }
  if (status === 429)
    return {
      kind: 'limited',
      note,
      wait: requestedWait(answer.headers['retry-after'], errorBody.retryAfter) ?? defaultWait,
    }
  const isTheirs = status >= 500 || status === 408 || status === 425
  return { kind: isTheirs ? 'failed' : 'refused', note }
}

/** Error responses of Discord, Slack, ntfy and Telegram, each with its own fields. Seconds may have fractions. */
const ErrorBody = z.object({
  message: z.optional(z.string()),
  description: z.optional(z.string()),
  error: z.optional(z.string()),
  retry_after: z.optional(z.number()),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
})

function readErrorBody({ headers, body }: Answer): { words: string; retryAfter?: number | undefined } {
  const { data } = ErrorBody.safeParse(parseJson(body))
  // An HTML page contains no message short enough to show.
  if (!data) return { words: /html/.test(headers['content-type'] ?? '') ? '' : Buffer.from(body).toString() }
  const { message, description, error, retry_after, parameters } = data
  return { words: message ?? description ?? error ?? '', retryAfter: retry_after ?? parameters?.retry_after }
}

/** The error note for a user. Hides secrets, since a response may repeat parts of the request. */
function noteOf(status: number, words: string, { kind, settings }: StoredChannel): string {
  const secrets = kind.secrets
    .flatMap((name) => String(settings[name] ?? '').split(/[/:?#&=]/))
    .filter((part) => part.length >= shortestSecret)
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), words)
  const line = redact(safe)
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
  return line === '' ? `answered ${status}` : `answered ${status}: ${truncate(line, 200)}`
}
const shortestSecret = 8
