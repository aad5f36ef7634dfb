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
      /** What it is about, in words; empty if that isn't known yet. */
      about: Generated<string>
      status: Bool
      /** The tool's own fields, as its contract writes them. */
      settings: string
      address: string | null
      /** What a list is searched by, worked out of the settings by the database: a URL in lower case, or the id of a webhook. */
      search: GeneratedAlways<string>
      created_at: number
      /** When it was last edited; each edit is later than the one before. */
      updated_at: number
      /** Who made it; null if it was before this was recorded. */
      changed_by: Generated<string | null>
      last_at: Generated<number | null>
      last_success: Generated<Bool | null>
      last_duration: Generated<number | null>
      last_count: Generated<number | null>
      last_note: Generated<string | null>
      /** The number of failures in a row that open an incident. */
      notify_after: Generated<number>
      /** How many of the last runs failed, in a row, and since when. */
      fails: Generated<number>
      failing_since: Generated<number | null>
      /** Since when its target has refused whatever it sends. */
      blocked_at: Generated<number | null>
      /** Since when it is switched off; null also if that was before this was recorded. */
      paused_at: Generated<number | null>
      /** What the last turn saw of its app, where turns look. */
      awake: Generated<LastSeen | null>
      /** The open incident. */
      incident_id: Generated<string | null>
      /** How often the address of its badges was made anew. */
      badge_version: Generated<number>
    }
    /** `since` is the first failure in a row, `opened_at` the one that made it an incident. Kept for 400 days. */
    incident: {
      id: string
      entry_id: string
      since: number
      opened_at: number
      closed_at: number | null
      cause: string
      /** What its owner tells the visitors of their status page, and since when. */
      note: Generated<string | null>
      noted_at: Generated<number | null>
    }
    /** The newest 200 an entry. */
    run: {
      entry_id: string
      at: number
      success: Bool
      duration: number | null
      count: number | null
      note: string | null
    }
    /** What an owner's status page shows, in this order; its URL only if `show_url` is set, and `name` in place of its own. */
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
