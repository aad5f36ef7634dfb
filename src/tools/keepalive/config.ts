import * as z from 'zod'
import { duration, durationUpTo } from '../../platform/config/values.ts'

export const keepaliveVariables = z
  .object({ KEEPALIVE_EVERY: duration.prefault('28m'), KEEPALIVE_TIMEOUT: durationUpTo('1h').prefault('60s') })
  .transform((given) => ({ keepaliveEvery: given.KEEPALIVE_EVERY, keepaliveTimeout: given.KEEPALIVE_TIMEOUT }))
export type KeepaliveConfig = Readonly<z.infer<typeof keepaliveVariables>>
