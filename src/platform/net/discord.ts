import * as z from 'zod/mini'
import packageJson from '../../../package.json' with { type: 'json' }
import { days, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Webhook } from '../../shared/urls/discord-webhook.ts'
import { parseJson } from '../body.ts'
import type { Config } from '../config/config.ts'
import type { Outbound, OutboundAnswer, Visitor } from './outbound.ts'

const timeout = seconds(10)
const maxBytes = 256 * 1_024
/** The most calls to Discord in any second: it bans an address that makes more than 50. */
const ceiling = 40
const second = seconds(1)
const manyPaused = 1_000
/** How long to wait after a 429 that states no time, and after a block by Discord's firewall. */
const defaultWait = minutes(1)
const firewallWait = minutes(10)
/** Discord's error code for a call that its firewall blocked. */
const stoppedByFirewall = 40_333
/** Discord's error code, sent with a 429, for an old message that was edited too often. */
export const tooManyEdits = 30_046

type DiscordContext = {
  config: Pick<Config, 'discordUrl' | 'baseUrl'>
  outbound: Pick<Outbound, 'request'>
  elapsed: () => Milliseconds
}

export type WebhookCall = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Appended to the webhook's URL. */
  path?: string
  body?: object
  visitor?: Visitor
  /** Waits only for a pause of all calls, not for other limits; for follow-up calls about the same message. */
  isUrgent?: boolean
}

/** `json` is Discord's body; `wait` is how long to wait after a 429, its firewall's 403 or a `busy` failure. */
export type WebhookAnswer = OutboundAnswer & { json?: unknown; wait?: Milliseconds }

export async function callWebhook(
  context: DiscordContext,
  { id, token, threadId }: Webhook,
  { method = 'POST', path = '', body, visitor, isUrgent = false }: WebhookCall,
): Promise<WebhookAnswer> {
  const { config, outbound } = context
  const limits = limitsOf(context)
  // A webhook's id is public, so calls with a wrong token must not delay those with the right one.
  const key = `${id}/${token}`
  const wait = limits.tryAcquire(key, { isUrgent })
  if (wait > 0) return { answered: false, failure: 'busy', note: 'Discord asked us to wait', duration: 0, wait }
  const query = new URLSearchParams({
    ...(method === 'POST' && { wait: 'true' }),
    ...(threadId && { thread_id: threadId }),
  })
  const url = `${config.discordUrl}/api/v10/webhooks/${key}${path}${query.size > 0 ? `?${query}` : ''}`
  const answer = await outbound.request(url, {
    method,
    headers: {
      // The format that Discord requires of API clients.
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
  const json = parseJson(answer.body)
  const retryAfter = limits.applyLimits(key, answer, json)
  return { ...answer, json, ...(retryAfter !== undefined && { wait: retryAfter }) }
}

const Limited = z.object({
  retry_after: z.optional(z.number()),
  global: z.optional(z.boolean()),
  code: z.optional(z.number()),
})

/** Decides when Discord may be called: one rate limit for this process, and pauses for one webhook or for all. */
export function discordLimits(elapsed: () => Milliseconds) {
  const calls: Milliseconds[] = []
  const pausedUntil = new Map<string, Milliseconds>()
  let allPausedUntil: Milliseconds = 0
  let bookedUntil: Milliseconds = 0

  function pause(webhook: string, wait: Milliseconds) {
    if (pausedUntil.size > manyPaused)
      for (const [key, until] of pausedUntil) if (until <= elapsed()) pausedUntil.delete(key)
    pausedUntil.set(webhook, Math.max(pausedUntil.get(webhook) ?? 0, elapsed() + wait))
  }

  return {
    /** Counts a call of this webhook and returns 0, or returns how long to wait before trying again. */
    tryAcquire(webhook: string, { isUrgent = false } = {}): Milliseconds {
      const at = elapsed()
      const paused = Math.max(allPausedUntil, isUrgent ? 0 : (pausedUntil.get(webhook) ?? 0)) - at
      if (paused > 0) return paused
      const oldest = calls.at(-ceiling)
      if (!isUrgent && oldest !== undefined && oldest + second > at) {
        // Spread the retries of calls beyond the limit.
        bookedUntil = Math.max(bookedUntil, oldest + second) + second / ceiling
        return bookedUntil - at
      }
      calls.push(at)
      if (calls.length > ceiling) calls.shift()
      return 0
    },
    /** Applies the limits that a response states; returns how long to wait after a 429 or a 403 from the firewall. */
    applyLimits(
      webhook: string,
      { status, headers }: { status: number; headers: Record<string, string> },
      json: unknown,
    ): Milliseconds | undefined {
      // Pause a webhook that has used up its limit, instead of waiting for Discord to answer 429.
      const used = headers['x-ratelimit-remaining'] === '0' && requestedWait(headers['x-ratelimit-reset-after'])
      if (used) pause(webhook, used)
      const errorBody = Limited.safeParse(json).data
      // The firewall blocks our address for all webhooks. Discord's own refusal of a single webhook has a code.
      const isStopped = status === 403 && (errorBody?.code === undefined || errorBody.code === stoppedByFirewall)
      if (status !== 429 && !isStopped) return undefined
      if (errorBody?.code === tooManyEdits) return undefined
      // A 429 without Discord's JSON comes from its firewall and applies to our address.
      const limit = errorBody?.retry_after === undefined ? undefined : errorBody
      const wait = requestedWait(headers['retry-after'], limit?.retry_after) ?? (limit ? defaultWait : firewallWait)
      if (!limit || limit.global || headers['x-ratelimit-global'] === 'true')
        allPausedUntil = Math.max(allPausedUntil, elapsed() + wait)
      else pause(webhook, wait)
      return wait
    },
  }
}
export type DiscordLimits = ReturnType<typeof discordLimits>

const limitsByClient = new WeakMap<DiscordContext['outbound'], DiscordLimits>()

/** The limits of this process: all calls through one outbound client count together. */
function limitsOf({ outbound, elapsed }: DiscordContext): DiscordLimits {
  const limits = limitsByClient.get(outbound) ?? discordLimits(elapsed)
  limitsByClient.set(outbound, limits)
  return limits
}

/** The longest wait, whatever a response requests. */
const longestWait = days(1)

/** The longest wait among these header or body values, which are in seconds; undefined if none is positive. */
export function requestedWait(...values: readonly (string | number | undefined)[]): Milliseconds | undefined {
  const waits = values.map((wait) => Math.ceil(seconds(Number(wait)))).filter((wait) => wait > 0)
  return waits.length > 0 ? Math.min(Math.max(...waits), longestWait) : undefined
}
