import type { Generated } from 'kysely'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /**
     * Mails about accounts that were sent or wait to be; kept for a day. `hash` is the sha-256 of the token in a mailed
     * link, which is stored nowhere. A link works until `expires_at`, once, and only while the user has that email.
     */
    mail: {
      id: string
      kind: 'password' | 'email' | 'changed'
      email: string
      /** Null if it is no longer the user's address. */
      user_id: string | null
      /** JSON: what the text says beside the link. */
      details: string | null
      hash: string | null
      created_at: number
      /** Until when it is tried, too. */
      expires_at: number
      sent_at: Generated<number | null>
      used_at: Generated<number | null>
      /** Why it could not be sent, in words. */
      note: Generated<string | null>
    }
  }
}
