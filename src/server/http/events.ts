import type { RoleName } from '../../shared/user.ts'

/** A live event for signed-in screens. `to` names who may see it: a user, and everybody with at least this level of a role. `access` says that what this user may do has changed. */
export type LiveEvent = {
  type: 'notification' | 'run' | 'entry' | 'access'
  to: { everyone?: boolean; userId?: string; role?: readonly [RoleName, 1 | 2] }
  data: unknown
}
export type Events = {
  /** Reaches every instance's connected screens; best effort. */
  publish(events: readonly LiveEvent[]): void
  close(): Promise<void>
}
