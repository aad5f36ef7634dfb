import * as z from 'zod/mini'

/** Who made the last edit of a record, by name and id, null when nobody knows or that user is gone; and when. */
export const lastEdit = { changedBy: z.nullable(z.string()), changedById: z.nullable(z.string()), changedAt: z.int() }

/** `updatedAt` as the record was read: an edit made since then refuses this one. */
export const IfUpdatedAt = z.optional(
  z.int({ error: 'Send updatedAt as it was read.' }).check(z.nonnegative('Send updatedAt as it was read.')),
)
