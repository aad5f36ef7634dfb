import { isDeepStrictEqual } from 'node:util'
import { blockEntries } from '../../../entries/runs/incidents.ts'
import { entryPageUrl } from '../../../entries/runs/record.ts'
import { entryChanged } from '../../../entries/stored-entry.ts'
import type { JobEntry, RunResult } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { Job } from '../../../platform/jobs/job.ts'
import type { Task } from '../../../platform/jobs/worker/worker.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { type Webhook, webhookOf } from '../../../shared/urls/discord-webhook.ts'
import type { HerokudiscordwebhookConfig } from '../config.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { parseEvent } from '../event/event.ts'
import { type DiscordMessage, isTest, messageOf, testMessage } from '../message/message.ts'
import { rescheduleDelivery } from '../queue/delivery-job.ts'
import { type AttemptResult, relayStore } from '../queue/store.ts'
import { type Settings, secrets } from '../secrets.ts'
import { type Facts, factsOf } from './deploy-facts.ts'
import { attemptWebhook, type CallResult } from './discord.ts'
import { type SendResult, sendDeploy } from './send-deploy.ts'

/** The wait after a problem on our side. */
const shortWait = seconds(5)

type Due = NonNullable<Awaited<ReturnType<ReturnType<typeof relayStore>['due']>>>
type DeliveryContext = Context<HerokudiscordwebhookConfig>
type Attempt = {
  job: Job
  entry: JobEntry
  due: Due
  webhook: Webhook
  context: DeliveryContext
  write?: SendResult['write']
}

/** Sends the oldest waiting event of an entry to Discord. The lane is the webhook, so it gets one event at a time. */
export function deliver(job: Job, entry: JobEntry, context: DeliveryContext): Task<RunResult> {
  return {
    target: `discord ${job.lane}`,
    ownerId: entry.ownerId,
    run: ({ holdsLease }) => sendOldest(job, entry, context, holdsLease),
  }
}

async function sendOldest(
  job: Job,
  entry: JobEntry,
  context: DeliveryContext,
  holdsLease: () => boolean,
): Promise<RunResult> {
  const due = await relayStore(context.db).due(entry.id)
  if (!due) return rescheduleResult({ job, entry, context })
  const settings = secrets.open(entry.stored, context)
  const webhook = { ...webhookOf(settings.discordHook)!, threadId: settings.threadId }
  const current: Attempt = { job, entry, due, webhook, context }
  if (due.webhookId !== webhook.id || job.lane !== webhook.id) return postpone(current, 0)
  // If another instance has claimed a job of the same lane, both postpone theirs.
  if (await context.jobs.isLaneTaken(job.id, webhook.id)) return postpone(current, 0)
  if (due.waitUntil > context.now()) return postpone(current, 0)
  if (!entry.ownerActive) return hold(current, { note: "the owner's account is not active", duration: 0 }, 0)
  if (due.blocked !== null) return hold(current, { note: due.blocked, duration: 0 }, 0)
  const offline = await context.offline.postpone({ id: job.id })
  if (offline > 0) return postpone(current, offline)
  // The lease has expired, so another instance may be sending the event.
  if (!holdsLease()) return postpone(current, 0)
  const content = contentOf(due, settings)
  if (content === undefined) return hold(current, { note: 'the stored event is not valid', duration: 0 }, 0)
  const discord = attemptWebhook({ context, webhook, holdsLease })
  if ('message' in content) return resultOf(current, await discord.post(content.message), discord.calls())
  const { posted, write } = await sendDeploy({
    entryId: entry.id,
    eventId: due.id,
    ...content,
    discord,
    hook: webhook,
    settings,
    context,
  })
  return resultOf({ ...current, write }, posted, discord.calls())
}

function contentOf(due: Due, settings: Settings): { message: DiscordMessage } | { facts: Facts } | undefined {
  if (isTest(due)) return { message: testMessage() }
  const event = parseEvent(JSON.parse(due.payload))
  if ('problem' in event) return undefined
  const facts = settings.card ? factsOf(event) : undefined
  return facts ? { facts } : { message: messageOf(event, settings) }
}

async function resultOf(attempt: Attempt, posted: CallResult, calls: number): Promise<RunResult> {
  const { due, context } = attempt
  if (posted.kind === 'delivered') return finish(attempt, 'delivered', posted, calls)
  if (posted.kind === 'wait' && calls === 0) return postpone(attempt, posted.wait)
  // Don't blame a new webhook or thread for the answer of the old one.
  if (await isReplaced(attempt)) return postpone(attempt, 0)
  if (posted.kind === 'refused' || posted.kind === 'messageGone') return hold(attempt, posted, calls)
  if (posted.kind === 'wait') return postpone(attempt, posted.wait, { note: posted.note, calls })
  if (posted.kind === 'again') return postpone(attempt, shortWait)
  if (['gone', 'wrongToken', 'threadGone'].includes(posted.kind)) return block(attempt, posted, calls)
  // The call failed, perhaps because our own network is down.
  if (context.offline.isOffline()) return postpone(attempt, shortWait)
  const wait = context.config.relayRetry[due.failed]
  if (wait === undefined) return hold(attempt, posted, calls)
  return postpone(attempt, wait, { note: posted.note, calls, retryIn: wait })
}

async function isReplaced({ entry, webhook, context }: Attempt): Promise<boolean> {
  const row = await context.db.q.selectFrom('entry').select('settings').where('id', '=', entry.id).executeTakeFirst()
  if (!row) return false
  const { discordHook, threadId } = secrets.open(JSON.parse(row.settings), context)
  return !isDeepStrictEqual({ ...webhookOf(discordHook)!, threadId }, webhook)
}

/** Holds the event, and blocks the webhook, or just the entry if only its token or thread is wrong. */
function block(attempt: Attempt, posted: CallResult, calls: number): RunResult {
  const { context, webhook, entry } = attempt
  const result = hold(attempt, posted, calls)
  const what = posted.kind === 'gone' ? { webhookId: webhook.id } : { entryId: entry.id }
  return {
    ...result,
    also: async (tx) => {
      const runEvents = (await result.also?.(tx)) ?? []
      // The incident begins with this run. The clock may have been set back since.
      const at = Math.min(result.run.at, context.now())
      const blocked = await relayStore(context.db, tx).block(what, posted.note, at)
      // Links to the entry's page, because the URLs of a relay are secret.
      const entries = blocked.map(({ ownerId, ...relay }) => ({
        ownerId,
        entry: { ...relay, tool: entry.tool, url: entryPageUrl(context.config, entry.tool, relay.id) },
      }))
      const noticeEvents = await context.notify(
        tx,
        await blockEntries(context.db, tx, entries, { at, cause: posted.note }),
      )
      const entryEvents = blocked.map(({ id, ownerId }) => entryChanged(herokudiscordwebhook.id, id, ownerId))
      return [...runEvents, ...noticeEvents, ...entryEvents]
    },
  }
}

const hold = (attempt: Attempt, how: Pick<CallResult, 'note' | 'duration'>, calls: number) =>
  finish(attempt, 'held', how, calls)

function finish(
  attempt: Attempt,
  state: 'delivered' | 'held',
  { note, duration }: Pick<CallResult, 'note' | 'duration'>,
  calls: number,
): RunResult & Required<Pick<RunResult, 'run'>> {
  const { entry, due, context } = attempt
  const success = state === 'delivered'
  const what = `${due.resource} · ${due.action}`
  return {
    ...rescheduleResult(attempt, { result: { state, note, calls } }),
    run: {
      entryId: entry.id,
      tool: entry.tool,
      ownerId: entry.ownerId,
      at: context.now(),
      success,
      duration,
      count: undefined,
      // Lists cut off the end, so the cause comes first.
      note: success ? what : `${note} (${what})`,
      isOurs: !entry.ownerActive,
      wasFailing: entry.isFailing,
    },
  }
}

/** Reschedules the job without ending the delivery. `answer` is Discord's answer, if it was called. */
function postpone(attempt: Attempt, wait: Milliseconds, answer?: Omit<AttemptResult, 'state'>): RunResult {
  const { entry, due } = attempt
  const result = rescheduleResult(attempt, {
    wait: answer?.retryIn === undefined ? wait : 0,
    ...(answer && { result: { state: 'accepted', ...answer } }),
  })
  // Screens show when a failed event is sent again.
  if (!answer && due.note === null) return result
  return {
    ...result,
    also: async (tx) => {
      await result.also(tx)
      return [entryChanged(herokudiscordwebhook.id, entry.id, entry.ownerId)]
    },
  }
}

// Moves on to the oldest waiting event, which may have arrived or been replayed meanwhile. The verdict only returns the
// lease: in the same transaction, `also` reschedules or ends the job.
function rescheduleResult(
  { job, entry, due, context, write }: Pick<Attempt, 'job' | 'entry' | 'context'> & Partial<Attempt>,
  { result, wait = 0 }: { result?: AttemptResult; wait?: Milliseconds } = {},
) {
  return {
    verdict: { id: job.id, turnAt: job.turnAt, dueAt: Math.ceil(context.now() + wait), attempt: 0 },
    also: async (tx: Context['db']['q']) => {
      // The clock may have been changed since the attempt.
      const at = context.now()
      if (due && result) {
        await relayStore(context.db, tx).recordAttempt(entry.id, due.id, result, at)
        await write?.(tx)
      }
      await rescheduleDelivery(context.db, tx, entry.id, { at, wait })
      return []
    },
  }
}
