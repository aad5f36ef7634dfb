import * as z from 'zod/mini'

/** Who made the last edit of a record, by name and id (null if unknown or deleted), and when. */
export const lastEdit = { changedBy: z.nullable(z.string()), changedById: z.nullable(z.string()), changedAt: z.int() }

/** The record's `updatedAt` when it was read; if it was edited since, this edit is refused. */
export const IfUpdatedAt = z.optional(
  z.int({ error: 'Send updatedAt as it was read.' }).check(z.nonnegative('Send updatedAt as it was read.')),
)

/** Fields of a body that are accepted and ignored, since it may hold the record as it was read. */
export const ignored = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])) as Record<never, never>
