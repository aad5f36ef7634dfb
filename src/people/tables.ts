import type { Generated, GeneratedAlways } from 'kysely'
import type { Timestamp } from '../platform/db/storable.ts'
import type { Bool } from '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
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
      /** The levels of `roles`, computed by the database. */
      admin_level: GeneratedAlways<number | null>
      tools_level: GeneratedAlways<number | null>
      last_usage_timestamp: Timestamp | null
      log_in_count: number
      last_sign_in_at: Generated<number | null>
      created_at: Timestamp
      /** The time of the last edit, always later than the previous one. */
      updated_at: Timestamp
      /** The id of the last editor; null for the command line, and for edits from before this column existed. */
      changed_by: Generated<string | null>
    }
    provider_links: {
      id: string
      provider_id: string
      account_id: string
      account_username: string | null
      user_id: string
      access_token: Generated<string | null>
      refresh_token: Generated<string | null>
      id_token: Generated<string | null>
      access_token_expires_at: Generated<Timestamp | null>
      refresh_token_expires_at: Generated<Timestamp | null>
      scope: Generated<string | null>
      password: Generated<string | null>
      password_given_at: Generated<number | null>
      created_at: Timestamp
      updated_at: Timestamp
    }
    /** Append-only. `actor` and `target` are names at that time; `changes` is a JSON array of the changed fields. */
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
      /** A short description of the client, such as `Firefox on Linux`. */
      device: Generated<string | null>
    }
    /** Failed sign-ins to an account (`user_id` '' for unknown usernames) from a network in one span. */
    sign_in_failure: {
      user_id: string
      network: string
      began_at: number
      at: number
      last_at: number
      wrong: number
      code: number
      limited: number
      refused: number
      name: string | null
      address: string | null
      device: string | null
    }
  }
}
