import * as z from 'zod/mini'
import type { Context } from '../../../platform/context.ts'
import { redact } from '../../../platform/crypto/redact.ts'
import { discordAgent, webhookApiUrl } from '../../../platform/net/discord.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { days, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { cut } from '../event/text.ts'
import type { DiscordMessage } from '../message/discord.ts'
import { MessageId } from '../message/discord.ts'
import { discordRateLimiterOf } from './rate-limit.ts'

/** How Discord answered a message; `note` says so in words. */
export type Posted = { note: string; duration: Milliseconds } & (
  | { kind: 'delivered'; messageId?: string }
  /** Discord rejects this message. */
  | { kind: 'refused' }
  /** The webhook was deleted, or its token is no longer valid. */
  | { kind: 'gone' }
  /** The webhook exists, the thread doesn't. */
  | { kind: 'threadGone' }
  /** The webhook exists, the message doesn't, or can't be edited any more. */
  | { kind: 'messageGone' }
  | { kind: 'wait'; wait: Milliseconds }
  | { kind: 'failed' }
  /** Trouble of our own, such as a stop. */
  | { kind: 'again' }
)

const timeout = seconds(10)
const maxBytes = 256 * 1_024
/** How long to wait after Discord's firewall has answered without saying how long. */
const firewallWait = minutes(10)
/** How long to wait after an answer that makes no sense of it. */
const usualWait = minutes(1)
/** The longest wait, whatever was answered. */
const longestWait = days(1)

/** Sends a message to a webhook, and tells the rate limiter what Discord asks for. `tryAcquire` comes before. */
export const post = (context: Context, hook: Webhook, message: DiscordMessage): Promise<Posted> =>
  call(context, hook, { method: 'POST', path: '?wait=true', body: message })

/** Replaces what a message of the webhook says. It notifies nobody. */
export const edit = (context: Context, hook: Webhook, messageId: string, message: DiscordMessage): Promise<Posted> =>
  call(context, hook, { method: 'PATCH', path: `/messages/${messageId}?`, body: editOf(message) })

/** Deletes a message of the webhook. */
export const remove = (context: Context, hook: Webhook, messageId: string): Promise<Posted> =>
  call(context, hook, { method: 'DELETE', path: `/messages/${messageId}?` })

/** Says also what the message shall no longer have. The name can't be edited. */
const editOf = ({ username: _, content, embeds = [], ...rest }: DiscordMessage) => ({
  content: content ?? null,
  embeds,
  ...rest,
})

type Call = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object }

async function call(context: Context, hook: Webhook, { method, path, body }: Call): Promise<Posted> {
  const thread = hook.threadId ? `&thread_id=${hook.threadId}` : ''
  const url = `${webhookApiUrl(context.config, hook)}${path}${thread}`.replace('?&', '?').replace(/\?$/, '')
  const answer = await context.outbound.request(url, {
    method,
    headers: { 'user-agent': discordAgent(context.config), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    timeout,
    maxBytes,
    statusSuffices: true,
  })
  const { duration } = answer
  if (!answer.answered) return { kind: answer.failure === 'internal' ? 'again' : 'failed', note: answer.note, duration }
  pauseIfUsedUp(context, hook, answer)
  const said = Said.safeParse(jsonOf(answer.body))
  // Whatever stands before Discord may repeat what was asked for.
  const note = noteOf(answer.status, said.data?.message?.replaceAll(hook.token, '[hidden]'))
  const { status } = answer
  if (said.data?.code === tooManyEdits) return { kind: 'messageGone', note, duration }
  if (status === 429) return { kind: 'wait', wait: pauseAfter429(context, hook, answer), note, duration }
  if (status >= 200 && status < 300) return { kind: 'delivered', ...messageIdOf(answer.body), note, duration }
  if (status === 404 && said.data?.code === unknownChannel) return { kind: 'threadGone', note, duration }
  // Without the webhook's own code it is the message that is gone; if it is the webhook, posting another will tell.
  if (status === 404 && method !== 'POST' && said.data?.code !== unknownWebhook)
    return { kind: 'messageGone', note, duration }
  if (status === 401 || status === 403 || status === 404) return { kind: 'gone', note, duration }
  return { kind: status >= 400 && status < 500 ? 'refused' : 'failed', note, duration }
}

/** Asks Discord about a webhook without posting: its type, or why that is unknown. */
export async function askAboutWebhook(
  context: Context,
  hook: Pick<Webhook, 'id' | 'token'>,
): Promise<{ type: number } | { gone: true } | { unknown: string }> {
  const rateLimiter = discordRateLimiterOf(context)
  if (rateLimiter.isPaused()) return { unknown: 'Discord asked us to wait' }
  rateLimiter.called()
  const headers = { 'user-agent': discordAgent(context.config) }
  const answer = await context.outbound.request(webhookApiUrl(context.config, hook), { headers, timeout, maxBytes })
  if (!answer.answered) return { unknown: answer.note }
  if ([401, 403, 404].includes(answer.status)) return { gone: true }
  const known = z.object({ type: z.int() }).safeParse(jsonOf(answer.body))
  if (answer.status === 200 && known.success) return known.data
  if (answer.status === 429) pauseAfter429(context, hook, answer)
  return { unknown: `answered ${answer.status}` }
}

type Answer = Extract<OutboundAnswer, { answered: true }>

/** Discord's code for a thread that doesn't exist. */
const unknownChannel = 10_003
/** And for a webhook that doesn't. */
const unknownWebhook = 10_015
/** And for a message that is old and was edited too often. */
const tooManyEdits = 30_046
const Message = z.object({ id: MessageId })
const Said = z.object({ code: z.optional(z.number()), message: z.optional(z.string()) })
const Limited = z.object({ retry_after: z.number(), global: z.optional(z.boolean()) })

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

function messageIdOf(body: Uint8Array): { messageId?: string } {
  const message = Message.safeParse(jsonOf(body))
  return message.success ? { messageId: message.data.id } : {}
}

const noteOf = (status: number, said: string | undefined) =>
  said === undefined || status < 400
    ? `answered ${status}`
    : `answered ${status}: ${cut(redact(said).replaceAll(/\p{C}+/gu, ' '), 200)}`

/** A number of seconds in milliseconds; 0 if it is absent or not a number. */
const waitOf = (asked: string | number | undefined): Milliseconds => {
  const wait = Math.ceil(seconds(Number(asked ?? 0)))
  return wait > 0 ? Math.min(wait, longestWait) : 0
}

/** Pauses a webhook that has used up its limit, before Discord has to say so. */
function pauseIfUsedUp(context: Context, hook: Pick<Webhook, 'id'>, { headers }: Answer) {
  if (headers['x-ratelimit-remaining'] !== '0') return
  discordRateLimiterOf(context).pause(hook.id, waitOf(headers['x-ratelimit-reset-after']))
}

/** Pauses after a 429, and answers for how long. One without Discord's JSON comes from its firewall and is about our address. */
function pauseAfter429(context: Context, hook: Pick<Webhook, 'id'>, { headers, body }: Answer): Milliseconds {
  const asked = waitOf(headers['retry-after'])
  const limited = Limited.safeParse(jsonOf(body))
  const rateLimiter = discordRateLimiterOf(context)
  if (!limited.success) {
    const wait = asked || firewallWait
    rateLimiter.pauseAll(wait)
    return wait
  }
  const { retry_after: said } = limited.data
  const wait = Math.max(asked, said < 0 ? usualWait : waitOf(said), seconds(0.1))
  if (limited.data.global || headers['x-ratelimit-global'] === 'true') rateLimiter.pauseAll(wait)
  else rateLimiter.pause(hook.id, wait)
  return wait
}
