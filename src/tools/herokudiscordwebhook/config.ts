import * as z from 'zod'
import { durations } from '../../platform/config/values.ts'

export const herokudiscordwebhookVariables = z
  .object({ RELAY_RETRY: durations.prefault('5s,30s,2m,10m,30m,1h,3h,6h,12h') })
  /** The delays between attempts to deliver an event. */
  .transform(({ RELAY_RETRY }) => ({ relayRetry: RELAY_RETRY }))
export type HerokudiscordwebhookConfig = Readonly<z.infer<typeof herokudiscordwebhookVariables>>
