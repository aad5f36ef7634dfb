export type DiscordField = { name: string; value: string; inline?: boolean }

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

/** What is posted to a webhook of Discord, as its API names it. */
export type DiscordMessage = {
  username: string
  content?: string
  embeds?: DiscordEmbed[]
  allowed_mentions: { parse: []; roles?: string[] }
}
