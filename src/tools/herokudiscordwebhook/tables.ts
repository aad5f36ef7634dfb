import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** What is known of a relay beside its settings: where it leads, whether Heroku has reached it, what it refused, and why it holds. */
    relay: {
      entry_id: string
      webhook_id: string
      connected_at: Generated<number | null>
      refused: Generated<number>
      refused_at: Generated<number | null>
      refused_why: Generated<string | null>
      blocked_at: Generated<number | null>
      blocked_why: Generated<string | null>
    }
    /** What Heroku delivered, without its secrets; ids sort by what the clock said. Kept for 30 days. */
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
      /** Attempts since it was accepted that are to be followed by another, and when that is due. */
      failed: Generated<number>
      wait_until: Generated<number>
      note: string | null
      payload: string
      collapse_key: string | null
      /** Its place in the order of arrival; 0 from before this was counted, or from another database. */
      seq: Generated<number>
    }
  }
}
