import type { Generated } from 'kysely'
import type { Bool } from '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** Users' notification channels. `settings` is encrypted JSON; `events`, `tools`, `entries`, `quiet` are JSON. */
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
      /** In hours. */
      remind_every: number | null
      confirmed: Bool
      /** The SHA-256 of the token mailed to the channel's address, and when it expires. */
      confirm_hash: Generated<string | null>
      confirm_until: Generated<number | null>
      failing_since: Generated<number | null>
      /** Since when each message was refused. Null after a success, or a failure that isn't the channel's. */
      refused_since: Generated<number | null>
      last_error: Generated<string | null>
      last_sent_at: Generated<number | null>
      /** When a message other than a test was last accepted. */
      told_at: Generated<number | null>
      created_at: number
      updated_at: number
    }
    /** Pending notices, one per `subject`. A `message_id` is permanent; its rows are deleted once it is accepted. */
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
     * Mails about accounts, kept for a day, or for invitations until they expire. `hash` is the SHA-256 of a mailed
     * token, which isn't stored. A link works once, until `expires_at`, and only while the user has that email.
     */
    mail: {
      id: string
      kind: 'password' | 'email' | 'invite' | 'changed'
      email: string
      /** Null if the address is no longer the user's, or belongs to no user yet. */
      user_id: string | null
      /** Further content of the mail, as JSON. */
      details: string | null
      hash: string | null
      created_at: number
      /** Also ends attempts to send the mail. */
      expires_at: number
      sent_at: Generated<number | null>
      used_at: Generated<number | null>
      note: Generated<string | null>
    }
    /** Notices to one user, and announcements to all users (`user_id` null). */
    notification: {
      id: string
      user_id: string | null
      type: string
      message: string
      author: string
      /** When the notice was created or last grew. */
      issued_at: number
      /** The type of the inbox item; null for announcements, and for notices older than the inbox. */
      item: Generated<string | null>
      /** JSON: the first ten of the item's `total` names or sentences. */
      parts: Generated<string | null>
      total: Generated<number>
      /** The entry that the notice is about, which may have been deleted. */
      tool: Generated<string | null>
      entry_id: Generated<string | null>
      /** When its user read it. For announcements, see `notification_seen`. */
      read_at: Generated<number | null>
      /** 1 for an item without a toast. */
      quiet: Generated<Bool>
    }
    /** Users who were shown a notice on a screen, or have read it in the inbox. */
    notification_seen: { user_id: string; notification_id: string; read_at: Generated<number | null> }
    /** For each user and type, the inbox item that groups changes in the seconds after `began_at`. */
    inbox_group: {
      user_id: string
      type: string
      notification_id: string
      began_at: number
      entries: Generated<string>
    }
  }
}
