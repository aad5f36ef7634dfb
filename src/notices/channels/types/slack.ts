import * as z from 'zod'
import { textOf, truncate } from '../message.ts'
import { channelType, json, maskPath, webUrl } from './channel-type.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeMarkup = (text: string) => text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign)

export const slack = channelType({
  id: 'slack',
  label: 'Slack',
  Settings: z.object({
    url: webUrl('Enter the URL of an incoming webhook.').meta({
      title: 'Webhook URL',
      description: 'The URL of an incoming webhook. In Slack: Apps > Incoming Webhooks.',
      format: 'uri',
      writeOnly: true,
    }),
  }),
  mask: maskPath,
  request: ({ url }, message) => ({
    url,
    headers: json,
    // Slack truncates texts over 40,000 characters, and recommends at most 4,000. Escaping turns one into up to five.
    body: JSON.stringify({
      text: escapeMarkup(truncate(textOf(message), 4_000)),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    }),
  }),
})
