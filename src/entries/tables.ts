import type { Generated, GeneratedAlways } from 'kysely'
import type { Bool } from '../platform/db/tables.ts'
import type { LastSeen } from './stored-entry.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    entry: {
      id: string
      tool: string
      owner_id: string
      name: Generated<string | null>
      /** Describes an entry that has no name; empty while unknown. */
      about: Generated<string>
      status: Bool
      /** JSON of the tool's own settings, with secrets encrypted. */
      settings: string
      address: string | null
      /** The text that lists search in, derived from the settings by the database: a lower-case URL or a webhook id. */
      search: GeneratedAlways<string>
      created_at: number
      /** Time of the last edit; strictly increases with each edit. */
      updated_at: number
      /** Null if the last edit predates this column. */
      changed_by: Generated<string | null>
      last_at: Generated<number | null>
      last_success: Generated<Bool | null>
      last_duration: Generated<number | null>
      last_count: Generated<number | null>
      last_note: Generated<string | null>
      notify_after: Generated<number>
      /** Number of consecutive failures up to the last run, and the time of the first. */
      fails: Generated<number>
      failing_since: Generated<number | null>
      /** When its target began to reject whatever it sends. */
      blocked_at: Generated<number | null>
      /** When it was switched off; null if it is active, or was switched off before this was recorded. */
      paused_at: Generated<number | null>
      /** State of its app at the last turn, if turns check it. */
      awake: Generated<LastSeen | null>
      incident_id: Generated<string | null>
      badge_version: Generated<number>
    }
    /** `since` is the first failure in a row, `opened_at` the one that opened the incident. Kept for 400 days. */
    incident: {
      id: string
      entry_id: string
      since: number
      opened_at: number
      closed_at: number | null
      cause: string
      /** The note on the owner's status page. */
      note: Generated<string | null>
      noted_at: Generated<number | null>
    }
    /** The newest 200 runs of each entry. */
    run: {
      entry_id: string
      at: number
      success: Bool
      duration: number | null
      count: number | null
      note: string | null
    }
    /** Entries on a status page, by `position`. A URL is public only with `show_url`; `name` replaces the entry's. */
    status_page_entry: {
      page_id: string
      entry_id: string
      position: number
      show_url: Bool
      name: Generated<string | null>
    }
    run_day: { entry_id: string; day: string; ok: number; fail: number; ms_sum: number; ms_max: number }
  }
}
