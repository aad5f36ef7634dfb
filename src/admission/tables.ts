import type { Generated } from 'kysely'
import type { Bool } from '../platform/db/tables.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** A user's latest request, open while `decided_at` is null; one without a `decision` was settled by an edit. */
    access_request: {
      user_id: string
      kind: 'request' | 'sign-up'
      message: Generated<string | null>
      at: number
      decided_at: Generated<number | null>
      decision: Generated<'approve' | 'tools' | 'decline' | null>
    }
    /** `hash` is the token's SHA-256; `roles` and `tags` are JSON; `created_by` is null for the command line. */
    invite: {
      id: string
      hash: string
      roles: string
      tags: string
      /** The only email that may use it; null for anyone. */
      email: string | null
      /** Whether the link was mailed to that email, so that having the link proves the email. */
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
