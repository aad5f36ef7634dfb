import type { DiscordMessage } from './message/discord.ts'

/** The resource and action of a test. */
export const testEvent = { resource: 'test', action: 'create' }

/** No resource of Heroku has this name: they have a namespace, or are `dyno`. */
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
