import * as z from 'zod'
import { maskOf, webhookMistake, webhookOf } from '../../../shared/urls/discord-webhook.ts'
import { type Message, toneOf, truncate } from '../message.ts'
import { channelType } from './channel-type.ts'

const colors = { bad: 0xd9_48_41, good: 0x2f_9e_64, plain: 0x6b_70_80 }
const escapeMarkup = (text: string) => text.replace(/[\\*_~`|>#<@[\]()-]/g, '\\$&')

const Settings = z.object({
  url: z
    .string({ error: 'Enter the webhook URL of a Discord channel.' })
    .trim()
    .max(2_048, 'Use at most 2048 characters.')
    .superRefine((text, context) => {
      const mistake = webhookMistake(text)
      if (mistake) context.addIssue(mistake)
    })
    .meta({
      title: 'Webhook URL',
      description: 'In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL.',
      writeOnly: true,
    }),
})

const embedOf = (message: Message) => ({
  title: truncate(escapeMarkup(message.title), 256),
  description: truncate(message.lines.map(escapeMarkup).join('\n'), 4_000),
  color: colors[toneOf(message)],
  ...(message.link && { url: message.link }),
})

export const discord = channelType({
  id: 'discord',
  label: 'Discord',
  Settings,
  isOperators: true,
  mask: (url) => maskOf(webhookOf(url)!),
  request: ({ url }, message) => ({
    webhook: webhookOf(url)!,
    body: { embeds: [embedOf(message)], allowed_mentions: { parse: [] } },
  }),
})
