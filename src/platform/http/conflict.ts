import * as z from 'zod/mini'
import type { Instant } from '../../shared/time.ts'
import { ErrorBody } from './errors.ts'

/** The body of a 409; `current` is set if somebody edited the record since it was read. */
export const conflictOf = <Shape extends z.core.$ZodShape>(record: z.ZodMiniObject<Shape>) =>
  z.extend(ErrorBody, { current: z.optional(record) })

type Edited = { createdAt: Instant; updatedAt: Instant; changedBy: string | null }

export const conflict = <Current extends Edited>(noun: string, current: Current) => ({
  error:
    current.updatedAt === current.createdAt
      ? `This ${noun} is newer than that. Send updatedAt as it was read.`
      : `${current.changedBy ?? 'Someone'} changed this ${noun} in the meantime.`,
  current,
})
