import * as z from 'zod/mini'
import { roleNames } from '../../shared/user.ts'

/** A live event for signed-in screens. `to` names who may see it: a user, and everybody with at least this level of a role. `access` says that what this user may do has changed. */
export const LiveEvent = z.object({
  /** On what everybody is to see once: a screen that was away gets it later, one that has it not again. */
  id: z.optional(z.string()),
  type: z.enum(['notification', 'run', 'entry', 'access']),
  to: z.object({
    everyone: z.optional(z.boolean()),
    userId: z.optional(z.string()),
    role: z.optional(z.readonly(z.tuple([z.enum(roleNames), z.literal([1, 2])]))),
  }),
  data: z.unknown(),
})
export type LiveEvent = z.infer<typeof LiveEvent>
export type Events = {
  /** Reaches every instance's connected screens; best effort. */
  publish(events: readonly LiveEvent[]): void
  close(): Promise<void>
}

/** What this user may do has changed, or one of the user's sessions or keys has ended. Publish it once that is committed. */
export const accessChanged = (userId: string): LiveEvent => ({ type: 'access', to: { userId }, data: null })
