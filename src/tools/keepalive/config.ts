import * as z from 'zod'
import { duration, durationUpTo } from '../../platform/config/values.ts'

export const keepaliveVariables = z
  .object({ KEEPALIVE_EVERY: duration.prefault('28m'), KEEPALIVE_TIMEOUT: durationUpTo('1h').prefault('60s') })
  .transform((variables) => ({
    keepaliveEvery: variables.KEEPALIVE_EVERY,
    keepaliveTimeout: variables.KEEPALIVE_TIMEOUT,
  }))
export type KeepaliveConfig = Readonly<z.infer<typeof keepaliveVariables>>
