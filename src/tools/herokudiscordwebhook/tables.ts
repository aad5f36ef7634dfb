import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The state of a relay: its webhook, whether Heroku has connected, what was rejected, and why Discord rejects it. */
    relay: {
      entry_id: string
      webhook_id: string
      connected_at: Generated<number | null>
      refused: Generated<number>
      refused_at: Generated<number | null>
      refused_why: Generated<string | null>
      blocked_at: Generated<number | null>
      blocked_why: Generated<string | null>
      /** Kept by the database: how many events it has and how many bytes of payload, and how much of that is `accepted` or `held`. */
      events: Generated<number>
      bytes: Generated<number>
      open_events: Generated<number>
      open_bytes: Generated<number>
    }
    /** What Heroku delivered, without secrets; ids sort by the clock. */
    relay_event: {
      id: string
      entry_id: string
      event_id: string
      /** The same for the same event of the same entry. */
      event_key: string
      resource: string
      action: string
      state: string
      received_at: number
      attempts: Generated<number>
      /** Failed attempts since it was accepted, and when the next is due. */
      failed: Generated<number>
      wait_until: Generated<number>
      note: string | null
      payload: string
      collapse_key: string | null
      /** Its place in the order of arrival; 0 if it is older than this column, or from another database. */
      seq: Generated<number>
    }
    /** A deploy that has a message of its own: the message, what is known of the deploy, and what else belongs to it. */
    relay_card: {
      entry_id: string
      /** The id of the event that it began with. */
      id: string
      webhook_id: string
      thread_id: string | null
      /** Discord's id of the message; null if there is none to edit. */
      message_id: string | null
      /** Where a failure was told: not yet (`no`), in the card itself when it was posted, or in a message of its own. */
      told: string
      /** The event for which the card has been edited, while the failure is still to be told. */
      edited_for: string | null
      build_id: string | null
      release_id: string | null
      slug_id: string | null
      /** JSON, without secrets. */
      facts: string
      touched_at: number
    }
  }
}
