import type { Generated } from 'kysely'
import type { Bool } from '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** How a user is notified. `settings` is sealed JSON; `events`, `tools`, `entries` and `quiet` are JSON. */
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
    /**
     * Mails about accounts that were sent or wait to be; kept for a day, and of invitations until their end. `hash` is the sha-256 of the token in a mailed
     * link, which is stored nowhere. A link works until `expires_at`, once, and only while the user has that email.
     */
    mail: {
      id: string
      kind: 'password' | 'email' | 'invite' | 'changed'
      email: string
      /** Null if it is no longer the user's address, or not yet. */
      user_id: string | null
      /** JSON: what the text says next to the link. */
      details: string | null
      hash: string | null
      created_at: number
      /** Until when it is tried, too. */
      expires_at: number
      sent_at: Generated<number | null>
      used_at: Generated<number | null>
      /** Why it could not be sent, in words. */
      note: Generated<string | null>
    }
    /** Messages to one user, or to everyone (`user_id` null). */
    notification: {
      id: string
      user_id: string | null
      type: string
      message: string
      author: string
      /** When it was last added to. */
      issued_at: number
      /** The type of an item of the inbox; null for announcements, and for what is older than the inbox. */
      item: Generated<string | null>
      /** JSON: the first ten of `total` names or sentences that the item gathers. */
      parts: Generated<string | null>
      total: Generated<number>
      /** The entry it is about, which may be gone. */
      tool: Generated<string | null>
      entry_id: Generated<string | null>
      /** When its user read it; who has read what is for everyone stands in `notification_seen`. */
      read_at: Generated<number | null>
      /** Only in the inbox, without a toast. */
      quiet: Generated<Bool>
    }
    /** Who had a message on a screen, or has read it in the inbox. */
    notification_seen: { user_id: string; notification_id: string; read_at: Generated<number | null> }
    /** The item that gathers what changes within the seconds after `began_at`, for each user and type. */
    inbox_group: {
      user_id: string
      type: string
      notification_id: string
      began_at: number
      entries: Generated<string>
    }
  }
}
