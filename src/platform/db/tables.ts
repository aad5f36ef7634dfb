import type { Generated, GeneratedAlways } from 'kysely'
import type { Timestamp } from './timestamp.ts'

/** Booleans are 0 or 1, instants epoch milliseconds, JSON is text. */
type Bool = 0 | 1

export type Tables = {
  users: {
    id: string
    name: string
    email: string
    email_verified: boolean | Bool
    image: string | null
    cred_username: string | null
    status: number
    tags: string
    roles: string
    /** What `roles` says of Admin; the database works it out. */
    admin_level: GeneratedAlways<number | null>
    last_usage_timestamp: Timestamp | null
    log_in_count: number
    created_at: Timestamp
    /** Of the last edit; each is later than the one before. */
    updated_at: Timestamp
    /** Who made it; null for the command line, and before this was noted. */
    changed_by: Generated<string | null>
  }
  sessions: {
    id: string
    token: string
    user_id: string
    expires_at: Timestamp
    ip_address: string | null
    user_agent: string | null
    created_at: Timestamp
    updated_at: Timestamp
    last_used_at: Generated<number | null>
  }
  provider_links: {
    id: string
    provider_id: string
    account_id: string
    account_username: string | null
    user_id: string
    access_token: string | null
    refresh_token: string | null
    id_token: string | null
    access_token_expires_at: Timestamp | null
    refresh_token_expires_at: Timestamp | null
    scope: string | null
    password: string | null
    password_given_at: Generated<number | null>
    created_at: Timestamp
    updated_at: Timestamp
  }
  verifications: {
    id: string
    identifier: string
    value: string
    expires_at: Timestamp
    created_at: Timestamp
    updated_at: Timestamp
  }
  /** `hash` is the sha-256 of the whole key, in hex; the key itself is kept nowhere. */
  api_key: {
    id: string
    user_id: string
    name: string
    scopes: string
    hash: string
    last4: string
    created_at: number
    expires_at: number | null
    last_used_at: Generated<number | null>
  }
  /** Append-only. `actor` and `target` are names as they were then, `changes` is JSON: what became of which field. */
  audit: {
    id: string
    at: number
    actor_id: string | null
    actor: string
    action: string
    target_id: string | null
    target: string | null
    changes: string
    address: string | null
  }
  /** What is told to one user, or to everybody (`user_id` null). */
  notification: {
    id: string
    user_id: string | null
    type: string
    message: string
    author: string
    issued_at: number
  }
  notification_seen: { user_id: string; notification_id: string }
  rate_limits: { id: string; key: string; count: number; last_request: number }
  /** Single values that belong to the whole installation, such as the sealed canary of APP_SECRET. */
  setting: { key: string; value: string }
  /** Links to set up an admin or a password; `hash` is the sha-256 of the token, `details` is JSON. */
  setup_link: { hash: string; purpose: 'first' | 'admin' | 'password'; details: string }
  entry: {
    id: string
    tool: string
    owner_id: string
    status: Bool
    /** The tool's own fields, as its contract writes them. */
    settings: string
    address: string | null
    created_at: number
    /** Of the last edit; each is later than the one before. */
    updated_at: number
    /** Who made it; null before this was noted. */
    changed_by: Generated<string | null>
    last_at: Generated<number | null>
    last_success: Generated<Bool | null>
    last_duration: Generated<number | null>
    last_count: Generated<number | null>
    last_note: Generated<string | null>
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
  run_day: { entry_id: string; day: string; ok: number; fail: number; ms_sum: number; ms_max: number }
  /**
   * All due work. `turn_at` is the turn it belongs to, `due_at` when it is to run, `free_at` when it may be claimed:
   * `due_at`, or the end of the lease. `planned_at` is what the clock showed when `due_at` was set, `waiting_since` when
   * its turn found no place on its host, `next_turn_at` when the next one is, decided while this one runs. `lease_by` names the instance and which of its claims holds the job.
   */
  job: {
    id: string
    kind: string
    entry_id: string
    lane: string | null
    payload: string | null
    turn_at: number
    due_at: number
    free_at: number
    attempt: number
    lease_by: string | null
    planned_at: Generated<number>
    waiting_since: Generated<number | null>
    next_turn_at: Generated<number | null>
  }
  /** The sha-256 of a proxied image's address, and when it was purged; kept for minutes. */
  purge: { hash: string; at: number }
  /** When an entry's page was last read, and where it has moved to. */
  purge_page: { entry_id: string; at: number; moved_to: string | null }
  /** The images on it, in its order, and what became of each. */
  purge_image: {
    entry_id: string
    position: number
    origin: string
    outcome: string
    note: string | null
  }
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
  /** A tag's views in all, by source: GitHub's image proxy and everybody else. */
  badge: { tag: string; camo: Generated<number>; other: Generated<number>; last_view: number; created_at: number }
  /** How far they had come before a day's first view; a day without views has none. */
  badge_day: { tag: string; day: string; camo: number; other: number }
  /** SQLite's alone: the tags of views, a JSON list, that are not added to `badge` yet. */
  badge_journal: { id: Generated<number>; at: number; source: 'camo' | 'other'; tags: string }
  /** Rows of the journal that could not be read, each value as SQLite writes it. */
  badge_journal_unreadable: { id: Generated<number>; at: string; source: string; tags: string }
}
