import * as z from 'zod/mini'
import { entryContract } from '../../entries/contract.ts'
import { Quiet } from '../../shared/quiet.ts'
import { WebUrl } from '../../shared/web-url.ts'
import { asOf } from './hosts/terms/known-hosts.ts'
import { keepaliveTool } from './tool.ts'

const wrong = {
  error: 'Enter whole minutes from 1 to 10080 (7 days), "auto" for what the host needs, or null for the default.',
}
const Minutes = z.int(wrong).check(z.minimum(1, wrong), z.maximum(10_080, wrong))

export const keepalive = entryContract({
  names: keepaliveTool,
  settings: {
    url: WebUrl,
    /** Whole minutes from the start of a ping to the start of the next; "auto" is what the host of the URL needs, null the configured default. */
    interval: z.nullable(z.union([Minutes, z.literal('auto')], wrong)),
    /** Hours in which no turn runs; null for none. */
    quiet: z.nullable(Quiet),
  },
  defaults: { interval: null, quiet: null },
  added: {
    /** The interval that is in force, in minutes. */
    every: z.number(),
  },
})

export const AdviceBody = z.strictObject({ url: WebUrl })
/** What is known of the host at an address, by it alone; times are minutes. */
export const Advice = z.object({
  host: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** What "auto" would be. */
  interval: z.number(),
  /** So long without a visit puts an app to sleep; null if that isn't known. */
  sleepsAfter: z.nullable(z.int()),
  /** What all free apps of an account share. */
  budget: z.nullable(z.object({ hours: z.int(), per: z.literal('month') })),
  /** One sentence each, as far as we know. */
  notes: z.array(z.string()),
  /** When these facts were looked up. */
  asOf: z.literal(asOf),
})
export type Advice = z.infer<typeof Advice>
