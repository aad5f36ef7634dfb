import type { Db } from '../../platform/db/open.ts'
import type { AuthInstant } from '../../platform/db/tables.ts'
import type { Instant } from '../../shared/time.ts'

/** An instant as the tables of users and sessions keep it. */
export const toAuthInstant = (kind: Db['kind'], at: Instant): AuthInstant =>
  kind === 'sqlite' ? new Date(at).toISOString() : new Date(at)
export const fromAuthInstant = (at: AuthInstant): Instant => new Date(at).getTime()

export const toAuthBoolean = (kind: Db['kind'], yes: boolean): boolean | 0 | 1 =>
  kind === 'sqlite' ? (yes ? 1 : 0) : yes
