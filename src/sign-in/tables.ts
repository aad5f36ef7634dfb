import type { Generated } from 'kysely'
import type { Timestamp } from '../platform/db/storable.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
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
      /** When the user last confirmed their identity after signing in. */
      proved_at: Generated<number | null>
    }
    verifications: {
      id: string
      identifier: string
      value: string
      expires_at: Timestamp
      created_at: Timestamp
      updated_at: Timestamp
    }
    /** An authenticator app, active once `secret` is set; `new_…` are pending. Secrets and codes are encrypted. */
    second_factor: {
      user_id: string
      secret: string | null
      /** The remaining recovery codes, as a JSON array. */
      codes: string | null
      since: number | null
      /** The 30-second step of the last code that was accepted. */
      last_step: number | null
      new_secret: string | null
      new_codes: string | null
    }
    /** `rp_id` is the only host where the passkey works; `transports` are joined by commas. */
    passkey: {
      id: string
      user_id: string
      rp_id: string
      credential_id: string
      public_key: string
      counter: number
      transports: string
      name: string
      created_at: number
      last_used_at: number | null
    }
    /** `hash` is the sha-256 of the whole key, in hex; the key itself is stored nowhere. */
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
    api_key_network: { key_id: string; network: string; at: number }
    known_device: { user_id: string; device: string; network: string; last_at: number }
    known_network: { user_id: string; network: string; last_at: number }
    rate_limits: { id: string; key: string; count: number; last_request: number }
    /** Links to set up an admin or a password; `hash` is the sha-256 of the token, `details` is JSON. */
    setup_link: { hash: string; purpose: 'first' | 'admin' | 'password'; details: string }
  }
}
