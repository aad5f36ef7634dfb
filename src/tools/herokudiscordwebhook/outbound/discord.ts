import * as z from 'zod/mini'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { Context } from '../../../platform/context.ts'
import { redact } from '../../../platform/crypto/redact.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { days, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { Webhook } from '../contract.ts'
import { cut } from '../inbound/event/limits.ts'
import type { DiscordMessage } from './message/discord.ts'
import { discordRateLimiterOf } from './rate-limit.ts'

/** What Discord made of a message. `note` is its answer in words. */
export type Posted = { note: string; duration: Milliseconds } & (
  | { kind: 'delivered' }
  /** There is something about this message that Discord does not take. */
  | { kind: 'refused' }
  /** The webhook is deleted, or not ours any more. */
  | { kind: 'gone' }
  /** The webhook is there, the thread is not. */
  | { kind: 'threadGone' }
  | { kind: 'wait'; wait: Milliseconds }
  | { kind: 'failed' }
  /** Our own trouble, such as a stop. */
  | { kind: 'again' }
)

const timeout = seconds(10)
const maxBytes = 256 * 1_024
/** How long an address is left alone after Discord's firewall has answered without saying when to come back. */
const banned = minutes(10)
/** Nobody is kept waiting longer, whatever was answered. */
const longestWait = days(1)

export const addressOf = ({ discordUrl }: Context['config'], { id, token }: Pick<Webhook, 'id' | 'token'>): string =>
  `${discordUrl}/api/v10/webhooks/${id}/${token}`

const agent = ({ baseUrl }: Context['config']) => `DiscordBot (${baseUrl}, ${packageJson.version})`

/** Sends a message to a webhook and sees to the pace that Discord asks for. Whether it may be sent now is asked before. */
export async function post(context: Context, hook: Webhook, message: DiscordMessage): Promise<Posted> {
  const thread = hook.threadId ? `&thread_id=${hook.threadId}` : ''
  const answer = await context.outbound.request(`${addressOf(context.config, hook)}?wait=true${thread}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': agent(context.config) },
    body: JSON.stringify(message),
    timeout,
    maxBytes,
    statusSuffices: true,
  })
  const { duration } = answer
  if (!answer.answered) return { kind: answer.failure === 'internal' ? 'again' : 'failed', note: answer.note, duration }
  heed(context, hook, answer)
  const said = Said.safeParse(jsonOf(answer.body))
  const note = noteOf(answer.status, said.data?.message)
  const { status } = answer
  if (status === 429) return { kind: 'wait', wait: slowDown(context, hook, answer), note, duration }
  if (status >= 200 && status < 300) return { kind: 'delivered', note, duration }
  if (status === 404 && said.data?.code === unknownChannel) return { kind: 'threadGone', note, duration }
  if (status === 401 || status === 403 || status === 404) return { kind: 'gone', note, duration }
  return { kind: status >= 400 && status < 500 ? 'refused' : 'failed', note, duration }
}

/** Asks Discord about a webhook without posting: what it is, or why that is not known. */
export async function lookUp(
  context: Context,
  hook: Pick<Webhook, 'id' | 'token'>,
): Promise<{ type: number } | { gone: true } | { unknown: string }> {
  const pace = discordRateLimiterOf(context)
  if (pace.isResting()) return { unknown: 'Discord asked us to wait' }
  pace.called()
  const headers = { 'user-agent': agent(context.config) }
  const answer = await context.outbound.request(addressOf(context.config, hook), { headers, timeout, maxBytes })
  if (!answer.answered) return { unknown: answer.note }
  if ([401, 403, 404].includes(answer.status)) return { gone: true }
  const known = z.object({ type: z.int() }).safeParse(jsonOf(answer.body))
  if (answer.status === 200 && known.success) return known.data
  if (answer.status === 429) slowDown(context, hook, answer)
  return { unknown: `answered ${answer.status}` }
}

type Answer = Extract<OutboundAnswer, { answered: true }>

/** What Discord answers of a thread that is not there, of a webhook that is. */
const unknownChannel = 10_003
const Said = z.object({ code: z.optional(z.number()), message: z.optional(z.string()) })
const Limited = z.object({ retry_after: z.number(), global: z.optional(z.boolean()) })

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

const noteOf = (status: number, said: string | undefined) =>
  said === undefined || status < 400
    ? `answered ${status}`
    : `answered ${status}: ${cut(redact(said).replaceAll(/\p{C}+/gu, ' '), 200)}`

/** So many seconds in milliseconds; 0 when it is absent or no number. */
const spanOf = (asked: string | number | undefined): Milliseconds => {
  const span = Math.ceil(seconds(Number(asked ?? 0)))
  return span > 0 ? Math.min(span, longestWait) : 0
}

/** A webhook that has just used up its share rests before Discord has to say so. */
function heed(context: Context, hook: Pick<Webhook, 'id'>, { headers }: Answer) {
  if (headers['x-ratelimit-remaining'] !== '0') return
  discordRateLimiterOf(context).rest(hook.id, spanOf(headers['x-ratelimit-reset-after']))
}

/** How long to wait after a 429. One without Discord's words comes from its firewall and is about our address. */
function slowDown(context: Context, hook: Pick<Webhook, 'id'>, { headers, body }: Answer): Milliseconds {
  const asked = spanOf(headers['retry-after'])
  const limited = Limited.safeParse(jsonOf(body))
  const pace = discordRateLimiterOf(context)
  if (!limited.success) {
    const wait = asked || banned
    pace.restAll(wait)
    return wait
  }
  const wait = Math.max(asked, spanOf(limited.data.retry_after), seconds(0.1))
  if (limited.data.global || headers['x-ratelimit-global'] === 'true') pace.restAll(wait)
  else pace.rest(hook.id, wait)
  return wait
}
