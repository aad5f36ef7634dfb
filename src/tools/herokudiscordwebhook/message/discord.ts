import * as z from 'zod/mini'
import { cut, ellipsis } from '../event/text.ts'

type DiscordField = { name: string; value: string; inline?: boolean }

export type DiscordEmbed = {
  title: string
  url?: string
  /** 0xRRGGBB */
  color: number
  description?: string
  fields?: DiscordField[]
  footer?: { text: string }
  /** ISO 8601 */
  timestamp?: string
}

/** The body that is posted to a webhook, as Discord's API defines it. */
export type DiscordMessage = {
  username: string
  content?: string
  embeds?: DiscordEmbed[]
  allowed_mentions: { parse: []; roles?: string[] }
}

export const MessageId = z.string().check(z.regex(/^[\w-]{1,64}$/))

/** The most characters or items that Discord accepts; `all` is for all text in the embeds together. */
export const limits = {
  username: 80,
  content: 2000,
  embeds: 10,
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  all: 6000,
}

/** The same message within Discord's limits, without empty parts. What comes first in an embed is cut last. */
export function withinLimits(message: DiscordMessage): DiscordMessage {
  let left = limits.all
  const take = (text: string, most: number) => {
    const kept = cut(text, Math.min(most, left))
    left -= kept.length
    return kept
  }
  const takeField = ({ name, value, ...rest }: DiscordField): DiscordField[] =>
    isBlank(name) || isBlank(value) || left < limits.fieldName + ellipsis.length
      ? []
      : [{ name: take(name, limits.fieldName), value: take(value, limits.fieldValue), ...rest }]
  const takeEmbed = ({ title, footer, description, fields, ...rest }: DiscordEmbed): DiscordEmbed => ({
    ...rest,
    title: take(title, limits.title),
    ...(footer && !isBlank(footer.text) && { footer: { text: take(footer.text, limits.footer) } }),
    ...(!isBlank(description) && { description: take(description, limits.description) }),
    ...(fields && { fields: fields.flatMap(takeField).slice(0, limits.fields) }),
  })
  const { content, embeds, ...rest } = message
  return {
    ...rest,
    username: cut(message.username, limits.username),
    ...(!isBlank(content) && { content: cut(content, limits.content) }),
    ...(embeds && { embeds: embeds.slice(0, limits.embeds).map(takeEmbed) }),
  }
}

const isBlank = (text: string | undefined): text is undefined => text === undefined || text.trim() === ''
