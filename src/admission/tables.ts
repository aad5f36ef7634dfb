import type { Generated } from 'kysely'
import type { Bool } from '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** The latest request of a user for access; a `sign-up` is who waits for approval. Open until `decided_at`; `decision` is null if something else closed it. */
    access_request: {
      user_id: string
      kind: 'request' | 'sign-up'
      message: Generated<string | null>
      at: number
      decided_at: Generated<number | null>
      decision: Generated<'approve' | 'tools' | 'decline' | null>
    }
    /** `hash` is the sha-256 of the token, `roles` and `tags` are JSON. `created_by` is null for the command line, and may be gone. */
    invite: {
      id: string
      hash: string
      roles: string
      tags: string
      /** The only address that may use it. */
      email: string | null
      /** Whether the link was mailed to that address, so that having it proves the address. */
      mailed: Bool
      uses: number
      used: Generated<number>
      created_by: string | null
      created_at: number
      expires_at: number
      revoked_at: Generated<number | null>
    }
    invite_use: { invite_id: string; user_id: string; at: number }
  }
}
