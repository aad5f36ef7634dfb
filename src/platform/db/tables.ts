import type { Generated } from 'kysely'

/** Booleans are 0 or 1, instants epoch milliseconds, JSON is text. */
export type Bool = 0 | 1

/** Every table by name. Each slice declares its own tables in its `tables.ts`. */
export interface Tables {
  /** Single values of the whole installation, such as the sealed canary of APP_SECRET. */
  setting: { key: string; value: string }
  /**
   * All due work; `entry_id` is null for work that belongs to no entry. `turn_at` is the turn that the job belongs to,
   * `due_at` when it should run, `free_at` when it can be claimed: `due_at`, or the end of its lease. `planned_at` is
   * when `due_at` was set, `waiting_since` when the job's turn found no free slot on its host, `next_turn_at` the next
   * turn if that was decided during this one. `lease_by` is the instance that leased the job, `claim` the number of its
   * claim.
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
