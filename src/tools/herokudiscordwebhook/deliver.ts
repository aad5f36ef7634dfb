import { changed } from '../../entries/edit.ts'
import type { RunResult } from '../../entries/record.ts'
import type { JobEntry } from '../../entries/tool.ts'
import type { Kit } from '../../server/kit.ts'
import type { Job, Verdict } from '../../server/work/jobs.ts'
import type { Task } from '../../server/work/worker.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { type DeliveryState, herokudiscordwebhook, type Webhook, webhookOf } from './contract.ts'
import { type Posted, post } from './discord.ts'
import { parseEvent } from './event.ts'
import { keeping, type Settings } from './keeping.ts'
import type { DiscordMessage } from './message/discord.ts'
import { messageOf, plainTextOf } from './message.ts'
import { paceOf } from './pace.ts'
import { eventOfJob, relayStore } from './store.ts'
import { isTest, testMessage } from './test-message.ts'

/** After trouble of our own. */
const soon = seconds(5)

type Due = NonNullable<Awaited<ReturnType<ReturnType<typeof relayStore>['due']>>>
/** One attempt at one delivery. */
type Attempt = { job: Job; entry: JobEntry; due: Due; hook: Webhook; kit: Kit }

/** Brings one event to Discord. Its lane is the webhook, so that events arrive there one after the other. */
export function deliver(job: Job, entry: JobEntry, kit: Kit): Task<RunResult> {
  return { target: `discord ${job.lane}`, run: () => attempt(job, entry, kit) }
}

async function attempt(job: Job, entry: JobEntry, kit: Kit): Promise<RunResult> {
  const due = await relayStore(kit.db).due(eventOfJob(job.id), kit.now())
  // Somebody else has seen to it, or it was dropped with its entry.
  if (!due) return { verdict: end(job) }
  const settings = keeping.open(entry.stored, kit)
  const hook = { ...webhookOf(settings.discordHook)!, threadId: settings.threadId }
  const the = { job, entry, due, hook, kit }
  if (due.webhookId !== job.lane) return elsewhere(the)
  if (due.webhookId !== hook.id) return again(the, 0)
  // Claims of two instances may miss each other when an older event turns up between them: then both step back.
  if (due.othersOut) return again(the, 0)
  if (!entry.ownerActive) return held(the, { note: "the owner's account is not active", duration: 0 }, 0)
  if (due.blocked !== null) return held(the, { note: due.blocked, duration: 0 }, 0)
  const wait = paceOf(kit).admit(hook.id)
  if (wait > 0) return again(the, wait)
  const message = messageFor(due, settings)
  if (!message) return held(the, { note: 'what was kept of this event is no event', duration: 0 }, 0)
  const first = await post(kit, hook, message)
  if (first.kind !== 'refused') return resultOf(the, first, 1)
  paceOf(kit).called()
  const plain = await post(kit, hook, plainTextOf(message))
  return resultOf(the, plain.kind === 'delivered' ? { ...plain, note: `${plain.note} as plain text` } : plain, 2)
}

function messageFor(due: Due, options: Settings): DiscordMessage | undefined {
  if (isTest(due)) return testMessage()
  const event = parseEvent(JSON.parse(due.payload))
  return 'problem' in event ? undefined : messageOf(event, options)
}

async function resultOf(the: Attempt, posted: Posted, calls: number): Promise<RunResult> {
  const { job, kit } = the
  if (posted.kind === 'delivered') return over(the, 'delivered', posted, calls)
  if (posted.kind === 'refused') return held(the, posted, calls)
  if (posted.kind === 'wait') return again(the, posted.wait, { note: posted.note, calls })
  if (posted.kind === 'again') return again(the, soon)
  if (posted.kind === 'gone') return gone(the, posted, calls)
  const wait = kit.config.relayRetry[job.attempt]
  if (wait === undefined) return held(the, posted, calls)
  return { ...again(the, wait, { note: posted.note, calls }), verdict: later(the, wait, job.attempt + 1) }
}

/** Discord knows the webhook no more: nothing goes there until somebody has seen to it. */
async function gone(the: Attempt, posted: Posted, calls: number): Promise<RunResult> {
  const { kit, hook, entry } = the
  const present = (await relayStore(kit.db).relays([entry.id])).get(entry.id)
  // It was replaced while Discord was asked about the one before.
  if (present && present.webhook_id !== hook.id) return again(the, 0, { note: posted.note, calls })
  const result = held(the, posted, calls)
  return {
    ...result,
    also: async (on) => {
      const told = (await result.also?.(on)) ?? []
      const blocked = await relayStore(kit.db, on).block(hook.id, posted.note, kit.now())
      const news = await Promise.all(blocked.map(({ id, ownerId }) => kit.tell(on, ownerId, refusal(id, posted.note))))
      const shown = blocked.map(({ id, ownerId }) => changed({ contract: herokudiscordwebhook }, id, ownerId))
      return [...told, ...news, ...shown]
    },
  }
}

const refusal = (entryId: string, note: string) => ({
  type: 'danger' as const,
  message: `Discord refuses the webhook of the relay ${entryId} (${note.slice(0, 250)}). Its events are held: replace the webhook URL, then replay them.`,
})

const held = (the: Attempt, how: Pick<Posted, 'note' | 'duration'>, calls: number) => over(the, 'held', how, calls)

/** The end of a delivery, with its place in the entry's history. */
function over(
  { job, entry, due, kit }: Attempt,
  state: 'delivered' | 'held',
  { note, duration }: Pick<Posted, 'note' | 'duration'>,
  calls: number,
): RunResult {
  const success = state === 'delivered'
  const what = `${due.resource} · ${due.action}`
  return {
    verdict: end(job),
    run: {
      entryId: entry.id,
      tool: entry.tool,
      ownerId: entry.ownerId,
      at: kit.now(),
      success,
      duration,
      count: undefined,
      note: success ? what : `${what}: ${note}`,
    },
    also: (on) => noted(kit, on, job, { state, note, calls }),
  }
}

/** The same attempt later, with what this one was told. */
function again(the: Attempt, wait: Milliseconds, told?: { note: string; calls: number }): RunResult {
  const { job, entry, kit } = the
  const verdict = later(the, wait, job.attempt)
  if (!told) return { verdict }
  return {
    verdict,
    also: async (on) => {
      await noted(kit, on, job, { state: 'accepted', ...told })
      return [changed({ contract: herokudiscordwebhook }, entry.id, entry.ownerId)]
    },
  }
}

/** The same attempt in the lane of the webhook to which its entry has been led since it was last out. */
const elsewhere = (the: Attempt): RunResult => ({
  ...again(the, 0),
  also: async (on) => {
    await relayStore(the.kit.db, on).join(the.job.id, the.due.webhookId)
    return []
  },
})

async function noted(
  { db }: Kit,
  on: Kit['db']['q'],
  job: Job,
  made: { state: DeliveryState; note: string; calls: number },
) {
  await relayStore(db, on).attempted(eventOfJob(job.id), made)
  return []
}

const end = (job: Job): Verdict => ({ id: job.id, turnAt: null, dueAt: 0, attempt: 0 })
const later = ({ job, kit }: Attempt, wait: Milliseconds, attempt: number): Verdict => ({
  id: job.id,
  turnAt: job.turnAt,
  dueAt: Math.ceil(kit.now() + wait),
  attempt,
})
