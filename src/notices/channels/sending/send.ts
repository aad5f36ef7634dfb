import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { Context } from '../../../platform/context.ts'
import { redact } from '../../../platform/crypto/redact.ts'
import { askedWait } from '../../../platform/net/asked-wait.ts'
import { callWebhook, type WebhookAnswer } from '../../../platform/net/discord.ts'
import type { OutboundAnswer } from '../../../platform/net/outbound.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import type { NoticesConfig } from '../../config.ts'
import type { Message } from '../message.ts'
import { cut } from '../message.ts'
import type { StoredChannel } from '../store.ts'
import type { Call, Outcome } from '../types/channel-type.ts'
import { sendMail } from './mail.ts'

const timeout = seconds(10)
const maxBytes = 64 * 1_024
const shortWait = seconds(5)
const usualWait = minutes(1)

/** Sends a message once. */
export async function send(
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
    // The same readers are elsewhere now, so this is no edit.
    const moved = { ...channel.settings, ...channel.kind.moved(jsonOf(answer.body)) }
    if (isDeepStrictEqual(moved, channel.settings)) return outcomeOf(answer, channel)
    const settings = context.secrets.seal(JSON.stringify(moved), 'channel.settings')
    const row = context.db.q.updateTable('channel').set({ settings }).where('id', '=', channel.id)
    await row.where('updated_at', '=', channel.updatedAt).execute()
    return { kind: 'again', wait: shortWait }
  }
  const { failure, note, wait = shortWait } = answer
  if (failure === 'blocked') return { kind: 'refused', note }
  const isOurs = failure === 'internal' || failure === 'busy' || offline.isOffline()
  return isOurs ? { kind: 'again', wait } : { kind: 'failed', note }
}

type Answer = Extract<OutboundAnswer, { answered: true }>

function outcomeOf(answer: Answer & Pick<WebhookAnswer, 'wait'>, channel: StoredChannel): Outcome {
  const { status, wait } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const said = readSaid(answer)
  const note = noteOf(status, said.words, channel)
  if (wait !== undefined) return { kind: 'limited', note, wait }
  if (status === 429)
    return { kind: 'limited', note, wait: askedWait(answer.headers['retry-after'], said.retryAfter) ?? usualWait }
  const isTheirs = status >= 500 || status === 408 || status === 425
  return { kind: isTheirs ? 'failed' : 'refused', note }
}

/** What Discord, Slack, ntfy and Telegram say, each in its own field; seconds may have fractions. */
const Said = z.object({
  message: z.optional(z.string()),
  description: z.optional(z.string()),
  error: z.optional(z.string()),
  retry_after: z.optional(z.number()),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
})

function readSaid({ headers, body }: Answer): { words: string; retryAfter?: number | undefined } {
  const { data } = Said.safeParse(jsonOf(body))
  // A page for people says nothing that fits here.
  if (!data) return { words: /html/.test(headers['content-type'] ?? '') ? '' : Buffer.from(body).toString() }
  const { message, description, error, retry_after, parameters } = data
  return { words: message ?? description ?? error ?? '', retryAfter: retry_after ?? parameters?.retry_after }
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** Whatever answers may repeat what it was asked with. */
function noteOf(status: number, words: string, { kind, settings }: StoredChannel): string {
  const secrets = kind.secrets
    .flatMap((name) => String(settings[name] ?? '').split(/[/:?#&=]/))
    .filter((part) => part.length >= shortestSecret)
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), words)
  const line = redact(safe)
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
  return line === '' ? `answered ${status}` : `answered ${status}: ${cut(line, 200)}`
}
const shortestSecret = 8
