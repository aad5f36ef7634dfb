import * as z from 'zod/mini'
import packageJson from '../../../package.json' with { type: 'json' }
import { days, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Webhook } from '../../shared/urls/discord-webhook.ts'
import { jsonIn } from '../body.ts'
import type { Config } from '../config/config.ts'
import type { Outbound, OutboundAnswer, Visitor } from './outbound.ts'

const timeout = seconds(10)
const maxBytes = 256 * 1_024
/** Calls to Discord in any second: it bans an address that makes more than 50. */
const ceiling = 40
const second = seconds(1)
const manyPaused = 1_000
/** How long to wait after a 429 that does not say how long, and after one of Discord's firewall. */
const usualWait = minutes(1)
const firewallWait = minutes(10)
/** Discord's code for a call that its firewall stopped. */
const stoppedByFirewall = 40_333
/** Discord's code for a message that is old and was edited too often. It comes with a 429. */
export const tooManyEdits = 30_046

type DiscordContext = {
  config: Pick<Config, 'discordUrl' | 'baseUrl'>
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
}

export type WebhookCall = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** What follows the webhook's own address. */
  path?: string
  body?: object
  visitor?: Visitor
  /** It must not wait for anything but a pause of all calls, such as the next call for the same message. */
  isUrgent?: boolean
}

/**
 * `json` is what Discord says; `wait` how long to wait after a 429 or a 403 of its firewall, or because no call is allowed
 * now, which is a `busy` failure.
 */
export type WebhookAnswer = OutboundAnswer & { json?: unknown; wait?: Milliseconds }

export async function callWebhook(
  context: DiscordContext,
  { id, token, threadId }: Webhook,
  { method = 'POST', path = '', body, visitor, isUrgent = false }: WebhookCall,
): Promise<WebhookAnswer> {
  const { config, outbound } = context
  const limits = limitsOf(context)
  const wait = limits.tryAcquire(id, { isUrgent })
  if (wait > 0) return { answered: false, failure: 'busy', note: 'Discord asked us to wait', duration: 0, wait }
  const query = new URLSearchParams({
    ...(method === 'POST' && { wait: 'true' }),
    ...(threadId && { thread_id: threadId }),
  })
  const url = `${config.discordUrl}/api/v10/webhooks/${id}/${token}${path}${query.size > 0 ? `?${query}` : ''}`
  const answer = await outbound.request(url, {
    method,
    headers: {
      // How Discord wants programs to name themselves.
      'user-agent': `DiscordBot (${config.baseUrl}, ${packageJson.version})`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(visitor && { visitor }),
    timeout,
    maxBytes,
    partialBody: true,
  })
  if (!answer.answered) return answer
  const json = jsonIn(answer.body)
  const asked = limits.heed(id, answer, json)
  return { ...answer, json, ...(asked !== undefined && { wait: asked }) }
}

const Limited = z.object({
  retry_after: z.optional(z.number()),
  global: z.optional(z.boolean()),
  code: z.optional(z.number()),
})

/** When Discord may be called: a limit for all webhooks of this process together, and pauses for each or all. */
export function discordLimits(elapsed: () => Milliseconds) {
  const calls: Milliseconds[] = []
  const pausedUntil = new Map<string, Milliseconds>()
  let allPausedUntil: Milliseconds = 0
  let bookedUntil: Milliseconds = 0

  function pause(webhookId: string, wait: Milliseconds) {
    if (pausedUntil.size > manyPaused)
      for (const [id, until] of pausedUntil) if (until <= elapsed()) pausedUntil.delete(id)
    pausedUntil.set(webhookId, Math.max(pausedUntil.get(webhookId) ?? 0, elapsed() + wait))
  }

  return {
    /** Counts a call of this webhook and returns 0, or returns how long to wait before asking again. */
    tryAcquire(webhookId: string, { isUrgent = false } = {}): Milliseconds {
      const at = elapsed()
      const paused = Math.max(allPausedUntil, isUrgent ? 0 : (pausedUntil.get(webhookId) ?? 0)) - at
      if (paused > 0) return paused
      const oldest = calls.at(-ceiling)
      if (!isUrgent && oldest !== undefined && oldest + second > at) {
        // Calls beyond the limit get a time one after the other.
        bookedUntil = Math.max(bookedUntil, oldest + second) + second / ceiling
        return bookedUntil - at
      }
      calls.push(at)
      if (calls.length > ceiling) calls.shift()
      return 0
    },
    /** Does what an answer asks for; says how long to wait if it is a 429, or a 403 of the firewall. */
    heed(
      webhookId: string,
      { status, headers }: { status: number; headers: Record<string, string> },
      json: unknown,
    ): Milliseconds | undefined {
      // A webhook that has used up its limit waits before Discord has to say so.
      const used = headers['x-ratelimit-remaining'] === '0' && askedWait(headers['x-ratelimit-reset-after'])
      if (used) pause(webhookId, used)
      const said = Limited.safeParse(json).data
      // The firewall stops our address, whichever webhook is called. Discord's own refusal of a webhook has a code.
      const isStopped = status === 403 && (said?.code === undefined || said.code === stoppedByFirewall)
      if (status !== 429 && !isStopped) return undefined
      if (said?.code === tooManyEdits) return undefined
      // A 429 without Discord's JSON comes from its firewall and is about our address.
      const limit = said?.retry_after === undefined ? undefined : said
      const wait = askedWait(headers['retry-after'], limit?.retry_after) ?? (limit ? usualWait : firewallWait)
      if (!limit || limit.global || headers['x-ratelimit-global'] === 'true')
        allPausedUntil = Math.max(allPausedUntil, elapsed() + wait)
      else pause(webhookId, wait)
      return wait
    },
  }
}
export type DiscordLimits = ReturnType<typeof discordLimits>

const known = new WeakMap<DiscordContext['outbound'], DiscordLimits>()

/** The limits of a process: calls through one outbound client count together. */
function limitsOf({ outbound, elapsed }: DiscordContext): DiscordLimits {
  const limits = known.get(outbound) ?? discordLimits(elapsed)
  known.set(outbound, limits)
  return limits
}

/** The longest wait, whatever was answered. */
const longestWait = days(1)

/** How long an answer asks us to wait, in a header or its body, each in seconds; undefined if none of them makes sense. */
export function askedWait(...asked: readonly (string | number | undefined)[]): Milliseconds | undefined {
  const waits = asked.map((wait) => Math.ceil(seconds(Number(wait)))).filter((wait) => wait > 0)
  return waits.length > 0 ? Math.min(Math.max(...waits), longestWait) : undefined
}
