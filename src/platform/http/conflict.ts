import * as z from 'zod/mini'
import { ErrorBody } from './errors.ts'

/** What a 409 answers; `current` is there when somebody edited the record since it was read. */
export const conflictOf = <Shape extends z.core.$ZodShape>(record: z.ZodMiniObject<Shape>) =>
  z.extend(ErrorBody, { current: z.optional(record) })

export const conflict = <Current extends { changedBy: string | null }>(noun: string, current: Current) => ({
  error: `${current.changedBy ?? 'Somebody'} changed this ${noun} in the meantime.`,
  current,
})
