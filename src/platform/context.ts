import type { Logger } from 'pino'
import type { Instant, Milliseconds } from '../shared/time.ts'
import type { Config } from './config/config.ts'
import type { Secrets } from './crypto/secrets.ts'
import type { Db, Queries } from './db/open.ts'
import type { Health } from './health.ts'
import type { Actor } from './http/access/actor.ts'
import type { ImportTurns } from './imports/turns.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Events } from './live/events.ts'
import type { Metrics } from './metrics.ts'
import type { Offline } from './net/offline.ts'
import type { Outbound } from './net/outbound.ts'
import type { VisitLimits } from './net/visit-limits.ts'
import type { Notify } from './notice.ts'

/** Everything the server uses of the outside world, and the operator's settings: `Own` are a feature's own variables. Tests pass their own clock and network. */
export type Context<Own extends object = object> = {
  config: Config & Own
  db: Db
  /** The clock of all instances on this database. It may be set. */
  now: () => Instant
  /** Reads the clock anew; absent where it is the machine's. */
  look?: (() => Promise<void>) | undefined
  /** A clock that is never set, with an arbitrary start: for durations, since `now` may be set. */
  elapsed: () => Milliseconds
  health: Health
  log: Logger
  outbound: Outbound
  /** With their ports. */
  operatorHosts: ReadonlySet<string>
  offline: Offline
  visitLimits: VisitLimits
  importTurns: ImportTurns
  jobs: Jobs
  metrics: Metrics
  events: Events
  secrets: Secrets
  /** Tells users what happened to their entries, to their account or to this server. */
  notify: Notify
  /** Writes an entry of the audit log, in the transaction that makes the change, and tells the target of what outlives a session. */
  audit: AuditEntryChange
}

/** A change of what somebody owns in a tool; `target` is its owner, and `changes` never holds a secret. */
export type AuditEntryChange = (
  tx: Queries,
  change: {
    actor: Actor
    action:
      | 'entry.create'
      | 'entry.edit'
      | 'entry.delete'
      | 'secret.renew'
      | 'hook.renew'
      | 'status.create'
      | 'status.edit'
      | 'badge.claim'
      | 'badge.edit'
      | 'badge.release'
    target: { id: string; name: string }
    changes: readonly {
      field: string
      from: string | number | boolean | null
      to: string | number | boolean | null | string[]
    }[]
  },
) => Promise<void>
