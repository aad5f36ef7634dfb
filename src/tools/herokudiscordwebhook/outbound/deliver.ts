import { changed } from '../../../entries/edit.ts'
import type { RunResult } from '../../../entries/runs/record.ts'
import type { JobEntry } from '../../../entries/tool-server.ts'
import type { Context } from '../../../platform/context.ts'
import type { Job } from '../../../platform/queue/job.ts'
import type { Task } from '../../../platform/queue/worker.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import type { HerokudiscordwebhookConfig } from '../config.ts'
import { herokudiscordwebhook, relayCalled, type Webhook, webhookOf } from '../contract.ts'
import { parseEvent } from '../inbound/event/event.ts'
import { moveOn } from '../queue/delivery-job.ts'
import { type Settings, secrets } from '../queue/secrets.ts'
import { type Made, relayStore } from '../queue/store.ts'
import { type Posted, post } from './discord.ts'
import type { DiscordMessage } from './message/discord.ts'
import { messageOf, plainTextOf } from './message.ts'
import { discordRateLimiterOf } from './rate-limit.ts'
import { isTest, testMessage } from './test-message.ts'

/** After trouble of our own. */
const soon = seconds(5)

type Due = NonNullable<Awaited<ReturnType<ReturnType<typeof relayStore>['due']>>>
type DeliveryContext = Context<HerokudiscordwebhookConfig>
/** One attempt at one delivery. */
type Attempt = { job: Job; entry: JobEntry; due: Due; hook: Webhook; context: DeliveryContext }

/** Brings the oldest event of an entry to Discord. Its lane is the webhook, so that events arrive there one after the other. */
export function deliver(job: Job, entry: JobEntry, context: DeliveryContext): Task<RunResult> {
  return { target: `discord ${job.lane}`, run: ({ isOurs }) => attempt(job, entry, context, isOurs) }
}

async function attempt(job: Job, entry: JobEntry, context: DeliveryContext, isOurs: () => boolean): Promise<RunResult> {
  const due = await relayStore(context.db).due(entry.id, context.now())
  if (!due) return next({ job, entry, context })
  const settings = secrets.open(entry.stored, context)
  const hook = { ...webhookOf(settings.discordHook)!, threadId: settings.threadId }
  const current: Attempt = { job, entry, due, hook, context }
  if (due.webhookId !== hook.id || job.lane !== hook.id) return again(current, 0)
  // Claims of two instances may miss each other when an older event turns up between them: then both step back.
  if (due.othersOut) return again(current, 0)
  if (due.waitUntil > context.now()) return again(current, 0)
  if (!entry.ownerActive) return held(current, { note: "the owner's account is not active", duration: 0 }, 0)
  if (due.blocked !== null) return held(current, { note: due.blocked, duration: 0 }, 0)
  const offline = await context.offline.postpone({ id: job.id })
  if (offline > 0) return again(current, offline)
  // Somebody else may be sending it.
  if (!isOurs()) return again(current, 0)
  const wait = discordRateLimiterOf(context).tryAcquire(hook.id)
  if (wait > 0) return again(current, wait)
  const message = messageFor(due, settings)
  if (!message) return held(current, { note: 'the stored event is not valid', duration: 0 }, 0)
  const first = await post(context, hook, message)
  if (first.kind !== 'refused') return resultOf(current, first, 1)
  discordRateLimiterOf(context).called()
  const plain = await post(context, hook, plainTextOf(message))
  return resultOf(current, plain.kind === 'delivered' ? { ...plain, note: `${plain.note} as plain text` } : plain, 2)
}

function messageFor(due: Due, options: Settings): DiscordMessage | undefined {
  if (isTest(due)) return testMessage()
  const event = parseEvent(JSON.parse(due.payload))
  return 'problem' in event ? undefined : messageOf(event, options)
}

async function resultOf(options: Attempt, posted: Posted, calls: number): Promise<RunResult> {
  const { due, context } = options
  if (posted.kind === 'delivered') return over(options, 'delivered', posted, calls)
  if (posted.kind === 'refused') return held(options, posted, calls)
  if (posted.kind === 'wait') return again(options, posted.wait, { note: posted.note, calls })
  if (posted.kind === 'again') return again(options, soon)
  if (posted.kind === 'gone' || posted.kind === 'threadGone') return gone(options, posted, calls)
  // Any answer of Discord would have told that the network is there.
  if (context.offline.isOffline()) return again(options, soon)
  const wait = context.config.relayRetry[due.failed]
  if (wait === undefined) return held(options, posted, calls)
  return again(options, wait, { note: posted.note, calls, retryIn: wait })
}

/** Discord knows the webhook, or the entry's thread, no more: nothing goes there until somebody has seen to it. */
async function gone(options: Attempt, posted: Posted, calls: number): Promise<RunResult> {
  const { context, hook, entry } = options
  const present = (await relayStore(context.db).relays([entry.id])).get(entry.id)
  // It was replaced while Discord was asked about the one before.
  if (present && present.webhook_id !== hook.id) return again(options, 0, { note: posted.note, calls })
  const result = held(options, posted, calls)
  const what = posted.kind === 'threadGone' ? { entryId: entry.id } : { webhookId: hook.id }
  return {
    ...result,
    also: async (tx) => {
      const told = (await result.also?.(tx)) ?? []
      const blocked = await relayStore(context.db, tx).block(what, posted.note, context.now())
      const news = await Promise.all(
        blocked.map(({ id, ownerId }) => context.notifyUser(tx, ownerId, refusal(id, posted))),
      )
      const shown = blocked.map(({ id, ownerId }) => changed({ contract: herokudiscordwebhook }, id, ownerId))
      return [...told, ...news, ...shown]
    },
  }
}

const refusal = (entryId: string, { kind, note }: Posted) => {
  const [what, mend] =
    kind === 'threadGone' ? ['thread', 'choose another thread'] : ['webhook', 'replace the webhook URL']
  const message = `Discord rejected the ${what} of ${relayCalled(entryId)} (${note.slice(0, 250)}). Its events are held: ${mend}, then replay them.`
  return { type: 'danger' as const, message }
}

const held = (options: Attempt, how: Pick<Posted, 'note' | 'duration'>, calls: number) =>
  over(options, 'held', how, calls)

/** The end of a delivery, with its place in the entry's history. */
function over(
  options: Attempt,
  state: 'delivered' | 'held',
  { note, duration }: Pick<Posted, 'note' | 'duration'>,
  calls: number,
): RunResult {
  const { entry, due, context } = options
  const success = state === 'delivered'
  const what = `${due.resource} · ${due.action}`
  return {
    ...next(options, { made: { state, note, calls } }),
    run: {
      entryId: entry.id,
      tool: entry.tool,
      ownerId: entry.ownerId,
      at: context.now(),
      success,
      duration,
      count: undefined,
      note: success ? what : `${what}: ${note}`,
    },
  }
}

/** Another attempt later, with what this one was told. */
function again(options: Attempt, wait: Milliseconds, told?: Omit<Made, 'state'>): RunResult {
  if (!told) return next(options, { wait })
  const { entry } = options
  const result = next(options, { wait: told.retryIn === undefined ? wait : 0, made: { state: 'accepted', ...told } })
  return {
    ...result,
    also: async (tx) => {
      await result.also(tx)
      return [changed({ contract: herokudiscordwebhook }, entry.id, entry.ownerId)]
    },
  }
}

/** What an attempt made of its event; then it is the turn of the oldest that waits, whatever came or was replayed meanwhile. */
function next(
  { job, entry, due, context }: Pick<Attempt, 'job' | 'entry' | 'context'> & Partial<Attempt>,
  { made, wait = 0 }: { made?: Made; wait?: Milliseconds } = {},
) {
  return {
    verdict: { id: job.id, turnAt: job.turnAt, dueAt: Math.ceil(context.now() + wait), attempt: 0 },
    also: async (tx: Context['db']['q']) => {
      // By the clock as it is when this is written: it may have been set since the attempt.
      const at = context.now()
      if (due && made) await relayStore(context.db, tx).attempted(entry.id, due.id, made, at)
      await moveOn(context.db, tx, entry.id, { at, wait })
      return []
    },
  }
}
