import type { DiscordMessage } from './message/discord.ts'

/** How a test is named where an event has its resource and action. */
export const testEvent = { resource: 'test', action: 'create' }

/** Heroku's own resources are never called so: they have a namespace, or are `dyno`. */
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
