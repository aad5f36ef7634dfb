import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The state of a relay: webhook, Heroku's connection, rejected deliveries, and why Discord rejects the webhook. */
    relay: {
      entry_id: string
      webhook_id: string
      connected_at: Generated<number | null>
      refused: Generated<number>
      refused_at: Generated<number | null>
      refused_why: Generated<string | null>
      blocked_at: Generated<number | null>
      blocked_why: Generated<string | null>
      /** Updated with the events: their number and payload bytes, in total and of those `accepted` or `held` (open). */
      events: Generated<number>
      bytes: Generated<number>
      open_events: Generated<number>
      open_bytes: Generated<number>
    }
    /** Events delivered by Heroku, without secrets. Ids sort by the clock at arrival. */
    relay_event: {
      id: string
      entry_id: string
      event_id: string
      /** A hash of the entry's and the event's ids. */
      event_key: string
      resource: string
      action: string
      state: string
      received_at: number
      attempts: Generated<number>
      /** Failed attempts since the event was last accepted, and when the next one is due (epoch ms). */
      failed: Generated<number>
      wait_until: Generated<number>
      note: string | null
      payload: string
      collapse_key: string | null
      /** The order of arrival. 0 for events older than this column, and never positive for imported ones. */
      seq: Generated<number>
    }
    /** The card of a deploy: its message, the known facts, and the ids of the related build, release and slug. */
    relay_card: {
      entry_id: string
      /** The id of the event that started the card. */
      id: string
      webhook_id: string
      thread_id: string | null
      /** Discord's id of the message; null if there is none to edit. */
      message_id: string | null
      /** Where a failure was announced: not yet (`no`), in the new card (`card`), or in its own message (`message`). */
      told: string
      /** The event for which the card has been edited while its failure is still to be announced. */
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
