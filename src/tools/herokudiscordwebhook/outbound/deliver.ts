import { changed } from '../../../entries/edit.ts'
import type { RunResult } from '../../../entries/record.ts'
import type { JobEntry } from '../../../entries/tool.ts'
import type { Kit } from '../../../platform/kit.ts'
import type { Job } from '../../../platform/queue/jobs.ts'
import type { Task } from '../../../platform/queue/worker.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { herokudiscordwebhook, relayCalled, type Webhook, webhookOf } from '../contract.ts'
import { parseEvent } from '../inbound/event.ts'
import { moveOn } from '../queue/delivery-job.ts'
import { keeping, type Settings } from '../queue/keeping.ts'
import { type Made, relayStore } from '../queue/store.ts'
import { type Posted, post } from './discord.ts'
import type { DiscordMessage } from './message/discord.ts'
import { messageOf, plainTextOf } from './message.ts'
import { paceOf } from './pace.ts'
import { isTest, testMessage } from './test-message.ts'

/** After trouble of our own. */
const soon = seconds(5)

type Due = NonNullable<Awaited<ReturnType<ReturnType<typeof relayStore>['due']>>>
/** One attempt at one delivery. */
type Attempt = { job: Job; entry: JobEntry; due: Due; hook: Webhook; kit: Kit }

/** Brings the oldest event of an entry to Discord. Its lane is the webhook, so that events arrive there one after the other. */
export function deliver(job: Job, entry: JobEntry, kit: Kit): Task<RunResult> {
  return { target: `discord ${job.lane}`, run: ({ isOurs }) => attempt(job, entry, kit, isOurs) }
}

async function attempt(job: Job, entry: JobEntry, kit: Kit, isOurs: () => boolean): Promise<RunResult> {
  const due = await relayStore(kit.db).due(entry.id, kit.now())
  if (!due) return next({ job, entry, kit })
  const settings = keeping.open(entry.stored, kit)
  const hook = { ...webhookOf(settings.discordHook)!, threadId: settings.threadId }
  const the = { job, entry, due, hook, kit }
  if (due.webhookId !== hook.id || job.lane !== hook.id) return again(the, 0)
  // Claims of two instances may miss each other when an older event turns up between them: then both step back.
  if (due.othersOut) return again(the, 0)
  if (due.waitUntil > kit.now()) return again(the, 0)
  if (!entry.ownerActive) return held(the, { note: "the owner's account is not active", duration: 0 }, 0)
  if (due.blocked !== null) return held(the, { note: due.blocked, duration: 0 }, 0)
  const offline = await kit.offline.postpone({ id: job.id })
  if (offline > 0) return again(the, offline)
  // Somebody else may be sending it.
  if (!isOurs()) return again(the, 0)
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
  const { due, kit } = the
  if (posted.kind === 'delivered') return over(the, 'delivered', posted, calls)
  if (posted.kind === 'refused') return held(the, posted, calls)
  if (posted.kind === 'wait') return again(the, posted.wait, { note: posted.note, calls })
  if (posted.kind === 'again') return again(the, soon)
  if (posted.kind === 'gone' || posted.kind === 'threadGone') return gone(the, posted, calls)
  // Any answer of Discord would have told that the network is there.
  if (kit.offline.isOffline()) return again(the, soon)
  const wait = kit.config.relayRetry[due.failed]
  if (wait === undefined) return held(the, posted, calls)
  return again(the, wait, { note: posted.note, calls, retryIn: wait })
}

/** Discord knows the webhook, or the entry's thread, no more: nothing goes there until somebody has seen to it. */
async function gone(the: Attempt, posted: Posted, calls: number): Promise<RunResult> {
  const { kit, hook, entry } = the
  const present = (await relayStore(kit.db).relays([entry.id])).get(entry.id)
  // It was replaced while Discord was asked about the one before.
  if (present && present.webhook_id !== hook.id) return again(the, 0, { note: posted.note, calls })
  const result = held(the, posted, calls)
  const what = posted.kind === 'threadGone' ? { entryId: entry.id } : { webhookId: hook.id }
  return {
    ...result,
    also: async (on) => {
      const told = (await result.also?.(on)) ?? []
      const blocked = await relayStore(kit.db, on).block(what, posted.note, kit.now())
      const news = await Promise.all(blocked.map(({ id, ownerId }) => kit.tell(on, ownerId, refusal(id, posted))))
      const shown = blocked.map(({ id, ownerId }) => changed({ contract: herokudiscordwebhook }, id, ownerId))
      return [...told, ...news, ...shown]
    },
  }
}

const refusal = (entryId: string, { kind, note }: Posted) => {
  const [what, mend] =
    kind === 'threadGone' ? ['thread', 'choose another thread'] : ['webhook', 'replace the webhook URL']
  const message = `Discord refuses the ${what} of ${relayCalled(entryId)} (${note.slice(0, 250)}). Its events are held: ${mend}, then replay them.`
  return { type: 'danger' as const, message }
}

const held = (the: Attempt, how: Pick<Posted, 'note' | 'duration'>, calls: number) => over(the, 'held', how, calls)

/** The end of a delivery, with its place in the entry's history. */
function over(
  the: Attempt,
  state: 'delivered' | 'held',
  { note, duration }: Pick<Posted, 'note' | 'duration'>,
  calls: number,
): RunResult {
  const { entry, due, kit } = the
  const success = state === 'delivered'
  const what = `${due.resource} · ${due.action}`
  return {
    ...next(the, { made: { state, note, calls } }),
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
  }
}

/** Another attempt later, with what this one was told. */
function again(the: Attempt, wait: Milliseconds, told?: Omit<Made, 'state'>): RunResult {
  if (!told) return next(the, { wait })
  const { entry } = the
  const result = next(the, { wait: told.retryIn === undefined ? wait : 0, made: { state: 'accepted', ...told } })
  return {
    ...result,
    also: async (on) => {
      await result.also(on)
      return [changed({ contract: herokudiscordwebhook }, entry.id, entry.ownerId)]
    },
  }
}

/** What an attempt made of its event; then it is the turn of the oldest that waits, whatever came or was replayed meanwhile. */
function next(
  { job, entry, due, kit }: Pick<Attempt, 'job' | 'entry' | 'kit'> & Partial<Attempt>,
  { made, wait = 0 }: { made?: Made; wait?: Milliseconds } = {},
) {
  return {
    verdict: { id: job.id, turnAt: job.turnAt, dueAt: Math.ceil(kit.now() + wait), attempt: 0 },
    also: async (on: Kit['db']['q']) => {
      // By the clock as it is when this is written: it may have been set since the attempt.
      const at = kit.now()
      if (due && made) await relayStore(kit.db, on).attempted(entry.id, due.id, made, at)
      await moveOn(kit.db, on, entry.id, { at, wait })
      return []
    },
  }
}
