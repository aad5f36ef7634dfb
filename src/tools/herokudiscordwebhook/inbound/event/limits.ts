import { once } from '../../../../shared/once.ts'
import type { DiscordEmbed, DiscordField, DiscordMessage } from '../../outbound/message/discord.ts'

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

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))
const ellipsis = '…'

/** Cuts a text to at most this many UTF-16 units, between graphemes and with an ellipsis. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  if (most < ellipsis.length) return ''
  const room = most - ellipsis.length
  let end = 0
  for (const { index, segment } of graphemes().segment(text)) {
    if (index + segment.length > room) break
    end = index + segment.length
  }
  return `${text.slice(0, end).replace(halfEscape, '').trimEnd()}${ellipsis}`
}

/** A trailing backslash without the character it escaped. */
const halfEscape = /(?<!\\)(?:\\\\)*\\$/

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
