import * as z from 'zod/mini'
import type { Preview } from '../contract.ts'
import type { HerokuEvent } from '../event/event.ts'
import { ellipsis, truncate } from '../event/text.ts'
import { type Card, colors, escapeMarkdown, safeText, unescapeMarkdown } from './card.ts'
import {
  addonCard,
  appCard,
  attachmentCard,
  collaboratorCard,
  domainCard,
  dynoCard,
  endpointCard,
  formationCard,
  otherCard,
} from './cards.ts'
import { buildCard, releaseCard } from './deploys.ts'

export type MessageOptions = {
  showActor: boolean
  /** The id of the role that failures mention; null for none. */
  mentionRole: string | null
}

const cards = new Map<string, (event: HerokuEvent) => Card>([
  ['api:addon', addonCard],
  ['api:addon-attachment', attachmentCard],
  ['api:app', appCard],
  ['api:build', buildCard],
  ['api:collaborator', collaboratorCard],
  ['api:domain', domainCard],
  ['api:dyno', dynoCard],
  ['api:formation', formationCard],
  ['api:release', releaseCard],
  ['api:sni-endpoint', endpointCard],
  ['api:ssl-endpoint', endpointCard],
  ['dyno', dynoCard],
])

/** Discord rejects webhook names that contain its own name or certain others. */
const username = 'Heroku'

/** The message for an event: one embed within Discord's limits. It mentions only the role, and only for failures. */
export function messageOf(event: HerokuEvent, { showActor, mentionRole }: MessageOptions): DiscordMessage {
  const card = cardOf(event)
  const actor = showActor && event.actor ? escapeMarkdown(event.actor.email) : undefined
  const role = card.tone === 'bad' ? mentionRole : null
  return messageWith(embedOf(event, { ...card, facts: [...card.facts, ['By', actor]] }), role)
}

export const messageWith = (embed: DiscordEmbed, role: string | null): DiscordMessage =>
  withinLimits({
    username,
    ...(role && { content: `<@&${role}>` }),
    embeds: [embed],
    allowed_mentions: role ? { parse: [], roles: [role] } : { parse: [] },
  })

const cardOf = (event: HerokuEvent) => (cards.get(event.entity) ?? otherCard)(event)

/** The message's title in plain text, without the emoji: `lantern-api: v42 released`. */
export const headlineOf = (event: HerokuEvent): string => unescapeMarkdown(headline(event, cardOf(event)))

const headline = ({ app }: Pick<HerokuEvent, 'app'>, { title }: Card) => {
  const name = safeText(app.name ?? '')
  return name ? `${name}: ${title}` : title
}

function embedOf(event: HerokuEvent, card: Card): DiscordEmbed {
  const { entity, action } = event
  const isGone = entity === 'api:app' && action === 'destroy'
  const { url, ...embed } = embedAbout({ ...event, footer: `${entity} · ${action}` }, card)
  return { ...embed, ...(url && !isGone && { url }) }
}

type About = Pick<HerokuEvent, 'app' | 'publishedAt'> & { footer: string }

export function embedAbout({ app, publishedAt, footer }: About, card: Card): DiscordEmbed {
  const { emoji, tone, description, facts } = card
  const url = dashboardOf(app.name)
  return {
    title: `${emoji} ${headline({ app }, card)}`,
    ...(url && { url }),
    color: colors[tone],
    ...(description?.trim() && { description }),
    fields: facts.flatMap(([name, value]) => (value?.trim() ? [{ name, value, inline: true }] : [])),
    footer: { text: footer },
    ...(publishedAt !== null && { timestamp: new Date(publishedAt).toISOString() }),
  }
}

const dashboardOf = (name: string | undefined) =>
  name && /^[a-z][a-z\d-]{0,62}$/i.test(name) ? `https://dashboard.heroku.com/apps/${name}` : undefined

/** The same message without an embed, for use if Discord rejects that. */
export function plainTextOf({ content, embeds = [], ...rest }: DiscordMessage): DiscordMessage {
  return withinLimits({ ...rest, content: [content, ...embeds.map(textOf)].filter(Boolean).join('\n') })
}

const textOf = ({ title, description, fields = [], url }: DiscordEmbed) =>
  [`**${title}**`, description, ...fields.map(({ name, value }) => `${name}: ${value}`), url && `<${url}>`]
    .filter(Boolean)
    .join('\n')

export const testEvent = { resource: 'test', action: 'create' }

/** No Heroku resource has this name: they all have a namespace, or are `dyno`. */
export const isTest = ({ resource }: { resource: string }): boolean => resource === testEvent.resource

export const testMessage = (): DiscordMessage => ({
  username: 'Heroku',
  embeds: [
    {
      title: '🔌 Test from ToolBox',
      color: 0x5865f2,
      description: 'The relay works. Heroku events will look like this message.',
    },
  ],
  allowed_mentions: { parse: [] },
})

/** The body of a post to a webhook, as Discord's API defines it. Colors are 0xRRGGBB, timestamps ISO 8601. */
export type DiscordMessage = Preview['message'] & { allowed_mentions: { parse: []; roles?: string[] } }
export type DiscordEmbed = NonNullable<DiscordMessage['embeds']>[number]
type DiscordField = NonNullable<DiscordEmbed['fields']>[number]

export const MessageId = z.string().check(z.regex(/^[\w-]{1,64}$/))

/** Those of Discord's limits that a message could exceed, in characters. `all` applies to the texts of its embed. */
export const limits = {
  content: 2000,
  title: 256,
  description: 4096,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  all: 6000,
}

/** Cuts a message to Discord's limits. The first parts of an embed are cut last. */
export function withinLimits(message: DiscordMessage): DiscordMessage {
  let remaining = limits.all
  const take = (text: string, most: number) => {
    const shortened = truncate(text, Math.min(most, remaining))
    remaining -= shortened.length
    return shortened
  }
  const takeField = ({ name, value, ...rest }: DiscordField): DiscordField[] =>
    remaining < limits.fieldName + ellipsis.length
      ? []
      : [{ name: take(name, limits.fieldName), value: take(value, limits.fieldValue), ...rest }]
  const takeEmbed = ({ title, footer, description, fields, ...rest }: DiscordEmbed): DiscordEmbed => ({
    ...rest,
    title: take(title, limits.title),
    ...(footer && { footer: { text: take(footer.text, limits.footer) } }),
    ...(description && { description: take(description, limits.description) }),
    ...(fields && { fields: fields.flatMap(takeField) }),
  })
  const { content, embeds, ...rest } = message
  return {
    ...rest,
    ...(content && { content: truncate(content, limits.content) }),
    ...(embeds && { embeds: embeds.map(takeEmbed) }),
  }
}
