import * as z from 'zod'
import { textOf, truncate } from '../message.ts'
import { channelType, json } from './channel-type.ts'

// https://core.telegram.org/bots/api#responseparameters
const Moved = z.object({ parameters: z.object({ migrate_to_chat_id: z.int() }) })

export const telegram = channelType({
  id: 'telegram',
  label: 'Telegram',
  Settings: z.object({
    token: z
      .string({ error: 'Enter the token of your bot.' })
      .trim()
      .max(200, 'Use at most 200 characters.')
      .regex(/^\d+:[\w-]+$/, 'Enter the token as BotFather shows it, such as 123456:ABC-DEF.')
      .meta({ title: 'Bot token', description: 'From @BotFather.', writeOnly: true }),
    chat: z
      .string({ error: 'Enter a chat ID, or the @name of a public channel.' })
      .trim()
      .regex(/^(?:-?\d{1,20}|@\w{1,64})$/, 'Enter a chat ID, or the @name of a public channel.')
      .meta({
        title: 'Chat ID',
        description: 'The ID of a chat that your bot is in, such as -1001234567890, or the @name of a public channel.',
      }),
  }),
  // A growing group becomes a supergroup with another id and the same members. This can't be undone.
  moved(answer) {
    const { data } = Moved.safeParse(answer)
    return data && { chat: String(data.parameters.migrate_to_chat_id) }
  },
  request: ({ token, chat }, message, { config }) => ({
    url: `${config.telegramUrl}/bot${token}/sendMessage`,
    headers: json,
    // Without `parse_mode`, Telegram doesn't interpret markup.
    body: JSON.stringify({
      chat_id: chat,
      text: truncate(textOf(message), 4_096),
      link_preview_options: { is_disabled: true },
    }),
  }),
})
