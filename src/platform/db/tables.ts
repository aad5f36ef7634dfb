import type { Generated } from 'kysely'

/** Booleans are 0 or 1, instants epoch milliseconds, JSON is text. */
export type Bool = 0 | 1

/** Every table by name. Each slice declares its own tables in its `tables.ts`. */
export interface Tables {
  /** Single values of the whole installation, such as the sealed canary of APP_SECRET. */
  setting: { key: string; value: string }
  /**
   * All due work, as in `Job`. `free_at` is when it can be claimed: `due_at`, or the end of its lease. `planned_at` is
   * when `due_at` was set, `next_turn_at` the next turn if that was decided during this one, and `lease_by` the
   * instance that leased the job.
   */
  job: {
    id: string
    kind: string
    entry_id: string | null
    lane: string | null
    payload: string | null
    turn_at: number
    due_at: number
    free_at: number
    attempt: number
    lease_by: string | null
    claim: Generated<number | null>
    planned_at: Generated<number>
    waiting_since: Generated<number | null>
    next_turn_at: Generated<number | null>
  }
}
