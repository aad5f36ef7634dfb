import type { Generated } from 'kysely'
import type { Bool } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** How a user is told news. `settings` is sealed JSON; `events`, `tools`, `entries` and `quiet` are JSON. */
    channel: {
      id: string
      user_id: string
      name: string | null
      type: string
      status: Bool
      settings: string
      events: string
      tools: string | null
      entries: string | null
      quiet: string | null
      /** Hours. */
      remind_every: number | null
      confirmed: Bool
      /** The sha-256 of the token that was mailed to its address, and until when that is valid. */
      confirm_hash: Generated<string | null>
      confirm_until: Generated<number | null>
      failing_since: Generated<number | null>
      last_error: Generated<string | null>
      last_sent_at: Generated<number | null>
      /** When a message other than a test was last accepted. */
      told_at: Generated<number | null>
      created_at: number
      updated_at: number
    }
    /**
     * What a channel has yet to tell: one row for each thing (`subject`) that changed. It is deleted once the message that
     * it belongs to is accepted; a row with a `message_id` belongs to that message for good.
     */
    channel_news: {
      id: string
      channel_id: string
      type: string
      subject: string
      at: number
      data: string
      message_id: string | null
    }
  }
}
