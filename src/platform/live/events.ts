import * as z from 'zod/mini'
import { roleNames } from '../../shared/user.ts'

// `access`: this user's permissions have changed; `inbox`: their inbox has; `missed`: some events may not have arrived.
/** A live event for screens. `to`: who may see it, a user and all users with at least this level of a role. */
export const LiveEvent = z.object({
  /** Only for events that each user sees exactly once: delivered later if no screen was open, and never twice. */
  id: z.optional(z.string()),
  type: z.enum(['notification', 'inbox', 'run', 'entry', 'access', 'channel', 'status', 'missed']),
  to: z.object({
    everyone: z.optional(z.boolean()),
    userId: z.optional(z.string()),
    role: z.optional(z.readonly(z.tuple([z.enum(roleNames), z.literal([1, 2])]))),
  }),
  data: z.unknown(),
})
export type LiveEvent = z.infer<typeof LiveEvent>
export type Events = {
  /** Sends events to the connected screens of every instance; best effort. */
  publish(events: readonly LiveEvent[]): void
  close(): Promise<void>
}

/** This user's permissions have changed, or one of their sessions or keys has ended. Publish it after the commit. */
export const accessChanged = (userId: string): LiveEvent => ({ type: 'access', to: { userId }, data: null })

export const inboxChanged = (userId: string): LiveEvent => ({ type: 'inbox', to: { userId }, data: null })

export const eventsMissed: LiveEvent = { type: 'missed', to: { everyone: true }, data: null }
