import type { ChannelType } from './channel-type.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** In the order in which users can choose them. */
export const channelTypes: readonly ChannelType[] = [email, discord, slack, telegram, ntfy, webhook]

export const channelTypeOf = (id: string): ChannelType | undefined => channelTypes.find((type) => type.id === id)
