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

/** The server's access to the outside world, and its settings with a feature's `Own` variables. Tests pass fakes. */
export type Context<Own extends object = object> = {
  config: Config & Own
  db: Db
  /** The clock that all instances on this database share. It can jump when it is set. */
  now: () => Instant
  /** Re-reads `now` from the database; absent if `now` is the machine's clock. */
  refreshClock?: (() => Promise<void>) | undefined
  /** A monotonic clock with an arbitrary start, for durations: `now` can jump. */
  elapsed: () => Milliseconds
  health: Health
  log: Logger
  outbound: Outbound
  /** `host:port` of the services that ToolBox itself is configured to use; all owners share their slots. */
  operatorHosts: ReadonlySet<string>
  offline: Offline
  visitLimits: VisitLimits
  importTurns: ImportTurns
  jobs: Jobs
  metrics: Metrics
  events: Events
  secrets: Secrets
  notify: Notify
  /** Writes an audit entry in the change's transaction. Notifies the target of changes that outlive a session. */
  audit: AuditEntryChange
}

/** A change to an object that a user owns in a tool. `target` is its owner; `changes` never contains a secret. */
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
