import packageJson from '../../../package.json' with { type: 'json' }
import type { Webhook } from '../../shared/urls/discord-webhook.ts'
import type { Config } from '../config/config.ts'

/** The address by which a webhook is always called. */
export const webhookApiUrl = (
  { discordUrl }: Pick<Config, 'discordUrl'>,
  { id, token }: Pick<Webhook, 'id' | 'token'>,
): string => `${discordUrl}/api/v10/webhooks/${id}/${token}`

/** How Discord wants programs to name themselves. */
export const discordAgent = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  `DiscordBot (${baseUrl}, ${packageJson.version})`
