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

/** The body that is posted to a webhook, as Discord's API defines it. */
export type DiscordMessage = {
  username: string
  content?: string
  embeds?: DiscordEmbed[]
  allowed_mentions: { parse: []; roles?: string[] }
}
