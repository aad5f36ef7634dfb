import * as z from 'zod/mini'

/** When a record was last edited, and by which user: name and id, null if unknown or deleted. */
export const lastEdit = { changedBy: z.nullable(z.string()), changedById: z.nullable(z.string()), changedAt: z.int() }

/** The record's `updatedAt` as the client read it; the edit is refused if the record has changed since. */
export const IfUpdatedAt = z.optional(
  z.int({ error: 'Send updatedAt as it was read.' }).check(z.nonnegative('Send updatedAt as it was read.')),
)

/** Body fields that are accepted and ignored, so that clients can send a record back as they read it. */
export const ignored = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])) as Record<never, never>
