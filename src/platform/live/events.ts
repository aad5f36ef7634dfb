import type { RoleName } from '../../shared/user.ts'

/** A live event for signed-in screens. `to` names who may see it: a user, and everybody with at least this level of a role. `access` says that what this user may do has changed. */
export type LiveEvent = {
  /** On what everybody is to see once: a screen that was away gets it later, one that has it not again. */
  id?: string
  type: 'notification' | 'run' | 'entry' | 'access'
  to: { everyone?: boolean; userId?: string; role?: readonly [RoleName, 1 | 2] }
  data: unknown
}
export type Events = {
  /** Reaches every instance's connected screens; best effort. */
  publish(events: readonly LiveEvent[]): void
  close(): Promise<void>
}

/** What this user may do has changed, or one of the user's ways in has ended. To be published once that is committed. */
export const accessChanged = (userId: string): LiveEvent => ({ type: 'access', to: { userId }, data: null })
