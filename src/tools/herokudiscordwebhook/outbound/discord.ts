import * as z from 'zod/mini'
import type { Context } from '../../../platform/context.ts'
import { redact } from '../../../platform/crypto/redact.ts'
import { callWebhook, tooManyEdits, type WebhookAnswer, type WebhookCall } from '../../../platform/net/discord.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import type { Webhook } from '../../../shared/urls/discord-webhook.ts'
import { truncate } from '../event/text.ts'
import { type DiscordMessage, MessageId, plainTextOf } from '../message/message.ts'

export type CallResult = { note: string; duration: Milliseconds } & (
  | { kind: 'delivered'; messageId?: string }
  /** Discord rejects this message. */
  | { kind: 'refused' }
  /** The webhook was deleted. */
  | { kind: 'gone' }
  /** The token isn't the webhook's, which other entries may know. */
  | { kind: 'wrongToken' }
  /** The webhook exists, but the thread doesn't. */
  | { kind: 'threadGone' }
  /** The webhook exists, but the message doesn't, or it can't be edited any more. */
  | { kind: 'messageGone' }
  | { kind: 'wait'; wait: Milliseconds }
  | { kind: 'failed' }
  /** A problem on our side, such as a shutdown. */
  | { kind: 'again' }
)

/** Discord's error codes. */
const unknownChannel = 10_003
const unknownWebhook = 10_015

type Attempt = {
  context: Context
  webhook: Webhook
  /** False once another instance may be sending the event. */
  holdsLease: () => boolean
}
export type AttemptWebhook = ReturnType<typeof attemptWebhook>

/** Only an attempt's first call waits for rate limits. A message that Discord rejects is resent as plain text. */
export function attemptWebhook({ context, webhook, holdsLease }: Attempt) {
  let calls = 0
  const call = async (request: WebhookCall): Promise<CallResult> => {
    // The attempt checks this itself before its first call.
    if (calls > 0 && !holdsLease()) return { kind: 'again', note: '', duration: 0 }
    const answer = await callWebhook(context, webhook, { isUrgent: calls > 0, ...request })
    if (answer.answered || answer.failure !== 'busy') calls += 1
    return callResultOf(answer, webhook, request)
  }
  const withPlainFallback = async (message: DiscordMessage, requestOf: (message: DiscordMessage) => WebhookCall) => {
    const first = await call(requestOf(message))
    if (first.kind !== 'refused') return first
    const plain = await call({ ...requestOf(plainTextOf(message)), isUrgent: true })
    return plain.kind === 'delivered' ? { ...plain, note: `${plain.note} as plain text` } : plain
  }
  return {
    calls: () => calls,
    post: (message: DiscordMessage, more: Pick<WebhookCall, 'isUrgent'> = {}) =>
      withPlainFallback(message, (body) => ({ body, ...more })),
    /** Replaces the content of a message. Discord doesn't notify users of edits. */
    edit: (messageId: string, message: DiscordMessage) =>
      withPlainFallback(message, (body) => ({ method: 'PATCH', path: `/messages/${messageId}`, body: editOf(body) })),
    remove: (messageId: string) => call({ method: 'DELETE', path: `/messages/${messageId}` }),
  }
}

/** Includes empty parts, so that the edit removes them. The username can't be edited. */
const editOf = ({ username: _, content, embeds = [], ...rest }: DiscordMessage) => ({
  content: content ?? null,
  embeds,
  ...rest,
})

const DiscordError = z.object({ code: z.optional(z.number()), message: z.optional(z.string()) })
const Message = z.object({ id: MessageId })

function callResultOf(answer: WebhookAnswer, { token }: Webhook, { method = 'POST' }: WebhookCall): CallResult {
  const { duration, wait } = answer
  if (!answer.answered) {
    if (wait !== undefined) return { kind: 'wait', wait, note: answer.note, duration }
    return { kind: answer.failure === 'internal' ? 'again' : 'failed', note: answer.note, duration }
  }
  const { status, json } = answer
  const { code, message } = DiscordError.safeParse(json).data ?? {}
  // A proxy in front of Discord may repeat the requested URL, which contains the token.
  const note = noteOf(status, message?.replaceAll(token, '[hidden]'))
  if (code === tooManyEdits) return { kind: 'messageGone', note, duration }
  if (wait !== undefined) return { kind: 'wait', wait, note, duration }
  if (status >= 200 && status < 300) {
    const messageId = Message.safeParse(json).data?.id
    return { kind: 'delivered', ...(messageId !== undefined && { messageId }), note, duration }
  }
  if (status === 404 && code === unknownChannel) return { kind: 'threadGone', note, duration }
  // Without the webhook's own code, the message was deleted. If it was the webhook after all, the next post will fail.
  if (status === 404 && method !== 'POST' && code !== unknownWebhook) return { kind: 'messageGone', note, duration }
  if (status === 401) return { kind: 'wrongToken', note, duration }
  if (status === 403 || status === 404) return { kind: 'gone', note, duration }
  return { kind: status >= 400 && status < 500 ? 'refused' : 'failed', note, duration }
}

function noteOf(status: number, message: string | undefined): string {
  if (message === undefined || status < 400) return `answered ${status}`
  // Some of Discord's messages begin with the status: `500: Internal Server Error`.
  const text = message.startsWith(`${status}: `) ? message : `${status}: ${message}`
  return `answered ${truncate(redact(text).replaceAll(/\p{C}+/gu, ' '), 200)}`
}

/** Fetches the type of a webhook from Discord without posting, or reports that it is gone or why it is unknown. */
export async function fetchWebhookType(
  context: Context,
  hook: Webhook,
): Promise<{ type: number } | { gone: true } | { unknown: string }> {
  const answer = await callWebhook(context, { ...hook, threadId: null }, { method: 'GET', isUrgent: true })
  if (!answer.answered) return { unknown: answer.note }
  if (answer.wait !== undefined) return { unknown: `answered ${answer.status}` }
  if ([401, 403, 404].includes(answer.status)) return { gone: true }
  const parsed = z.object({ type: z.int() }).safeParse(answer.json)
  return answer.status === 200 && parsed.success ? parsed.data : { unknown: `answered ${answer.status}` }
}
