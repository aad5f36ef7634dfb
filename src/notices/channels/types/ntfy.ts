import * as z from 'zod'
import { parseUrl } from '../../../shared/urls/parse-url.ts'
import { toneOf, truncateBytes } from '../message.ts'
import { channelType, json, maskOf, maskPath, webUrl } from './channel-type.ts'

const looks = {
  bad: { priority: 4, tags: ['rotating_light'] },
  good: { priority: 3, tags: ['white_check_mark'] },
  plain: { priority: 3, tags: ['bell'] },
}
/** Captures the server, and the topic, which is the path's last segment. */
const topicIn = /^(https?:\/\/[^?#]*?)\/([-\w]{1,64})\/?$/i

export const ntfy = channelType({
  id: 'ntfy',
  label: 'ntfy',
  Settings: z.object({
    url: webUrl('Enter the URL of a topic, such as https://ntfy.sh/my-topic.')
      .refine(
        (url) => topicIn.test(url) && parseUrl(url)?.pathname !== '/',
        'Add the topic, such as https://ntfy.sh/my-topic.',
      )
      .meta({
        title: 'Topic URL',
        description: 'E.g. https://ntfy.sh/my-topic. Anyone who knows the topic can read it.',
        format: 'uri',
        writeOnly: true,
      }),
    token: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,200}$/, 'Enter an access token, or leave it empty.')
      .optional()
      .meta({ title: 'Access token', description: 'Only for protected topics.', writeOnly: true }),
  }),
  mask: (secret) => (topicIn.test(secret) ? maskPath(secret) : maskOf(secret)),
  request({ url, token }, message) {
    const [, server = url, topic = ''] = topicIn.exec(url) ?? []
    const body = {
      topic,
      title: truncateBytes(message.title, 250),
      // ntfy would turn a longer message into an attachment.
      message: truncateBytes(message.lines.join('\n') || message.title, 3_900),
      ...looks[toneOf(message)],
      ...(message.link && { click: message.link }),
    }
    return {
      url: server,
      headers: { ...json, ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    }
  },
})
