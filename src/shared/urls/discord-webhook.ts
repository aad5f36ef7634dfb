import * as z from 'zod/mini'
import { hasControls } from '../schemas/names.ts'
import { parseUrl } from './parse-url.ts'

export type Webhook = { id: string; token: string; threadId: string | null }

const hosts = /^(?:(?:ptb|canary|www)\.)?discord(?:app)?\.com$/
const webhookPath = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{15,22})\/([\w-]{30,120})\/?$/
export const snowflake = /^\d{15,22}$/

/** Parses a Discord webhook URL in any of its forms; returns undefined for any other URL. */
export function webhookOf(text: string): Webhook | undefined {
  const url = hasControls(text.trim()) ? null : parseUrl(text.trim())
  if (url?.protocol !== 'https:' || !hosts.test(url.host) || url.username || url.password) return undefined
  const [, id, token] = webhookPath.exec(url.pathname) ?? []
  if (!id || !token) return undefined
  const threadId = url.searchParams.get('thread_id')
  return { id, token, threadId: threadId && snowflake.test(threadId) ? threadId : null }
}

export const webhookBase = 'https://discord.com/api/webhooks/'
export const webhookUrl = ({ id, token }: Pick<Webhook, 'id' | 'token'>): string => `${webhookBase}${id}/${token}`
/** Enough of a webhook's URL to recognize it, too little to use it. */
export const maskOf = ({ id, token }: Pick<Webhook, 'id' | 'token'>): string =>
  `${webhookBase}${id.slice(0, 4)}…/••••${token.slice(-4)}`
const isMaskOfWebhook = (text: string): boolean =>
  /^https:\/\/discord\.com\/api\/webhooks\/\d{4}…\/••••[\w-]{4}$/.test(text)

const mistakes: readonly [RegExp, string][] = [
  [
    /^https:\/\/[\w.]+\/channels\/|^https:\/\/discord\.gg\/|^https:\/\/[\w.]+\/invite\//,
    'This is a link to a channel, not to a webhook. In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL.',
  ],
  [
    /^(?:Bot )?[\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,}$/,
    'This looks like a bot token, which is not needed here. Keep it secret, and enter a webhook URL instead.',
  ],
  [/^http:\/\//, 'Enter the URL with https://, as Discord shows it.'],
  [
    /\/webhooks\/\d+\/[\w-]+\/(?:slack|github)\/?$/,
    'Remove /slack or /github from the end: those URLs are for other services.',
  ],
  [/\/webhooks(?:\/\d*(?:\/[\w-]*)?)?$/, 'Part of this webhook URL is missing. Copy all of it again.'],
]

/** A message for the user who pasted this text; undefined if it is a webhook URL. */
export function webhookMistake(text: string): string | undefined {
  if (webhookOf(text)) return undefined
  const url = parseUrl(text.trim())
  const isOurs = !url || hosts.test(url.host) || url.host === 'discord.gg'
  const mistake = isOurs && mistakes.find(([form]) => form.test(text.trim()))
  return mistake ? mistake[1] : 'Enter a Discord webhook URL, such as https://discord.com/api/webhooks/…/…'
}

/** A webhook URL, or the mask of the saved one. */
export const DiscordHook = z
  .string({ error: 'Enter the webhook URL of a Discord channel.' })
  .check(z.trim(), z.maxLength(2_048, { error: 'Use at most 2048 characters.' }), ({ value, issues }) => {
    const message = isMaskOfWebhook(value) ? undefined : webhookMistake(value)
    if (message) issues.push({ code: 'custom', input: value, message })
  })
