import * as z from 'zod/mini'
import { entryContract } from '../../entries/contract.ts'
import { Quiet } from '../../shared/quiet/quiet.ts'
import { WebUrl } from '../../shared/urls/web-url.ts'
import { Expect, Headers, Method } from './requests/contract.ts'
import { keepaliveNames } from './terms.ts'

const wrong = {
  error: 'Enter whole minutes from 1 to 10080 (7 days), "auto" for what the host needs, or null for the default.',
}
const Minutes = z.int(wrong).check(z.minimum(1, wrong), z.maximum(10_080, wrong))

export const keepalive = entryContract({
  names: keepaliveNames,
  settings: {
    url: WebUrl,
    /** Whole minutes from the start of a ping to the start of the next; "auto" is what the host of the URL needs, null the configured default. */
    interval: z.nullable(z.union([Minutes, z.literal('auto')], wrong)),
    /** Hours in which no turn runs; null for none. */
    quiet: z.nullable(Quiet),
    method: Method,
    headers: Headers,
    expect: z.nullable(Expect),
  },
  defaults: { interval: null, quiet: null, method: 'GET', headers: [], expect: null },
  added: {
    /** The interval that is in force, in minutes. */
    every: z.number(),
    /** Until when the certificate of its host is valid, epoch milliseconds, and in how many days that is; null until one was seen. */
    certificate: z.nullable(z.object({ validTo: z.int(), days: z.int() })),
    /** In the answer to a save: what is left to do. */
    warning: z.optional(z.string()),
  },
})

const Host = z.object({ id: z.string(), name: z.string() })
const Budget = z.object({ hours: z.int(), per: z.literal('month') })

/** Free hours that all apps of an account at a host share, and what an owner's active entries take of them, in hours. */
export const Pool = z.object({
  host: Host,
  entries: z.int(),
  /** How many names these entries ping: all URLs of one are one app. */
  apps: z.int(),
  /** In the whole calendar month (UTC), and up to now, as if it had begun with these entries. */
  hours: z.number(),
  used: z.number(),
  budget: Budget,
  over: z.boolean(),
  /** When the hours are used up; null if they last. */
  runsOutAt: z.nullable(z.int()),
  /** Quiet hours with which they last, if all these apps have them every day; null if there is no need, or no way. */
  quiet: z.nullable(z.object({ from: z.string(), to: z.string() })),
})
export type Pool = z.infer<typeof Pool>

const { interval, quiet } = keepalive.Settings.shape
/** A URL, and with any of the rest, what an entry with it would take of its host's free hours. */
export const AdviceBody = z.strictObject({
  url: WebUrl,
  interval: z.optional(interval),
  quiet: z.optional(quiet),
  status: z.optional(z.boolean()),
  /** The entry that would be changed; without it, a new one. */
  id: z.optional(z.string()),
})
export type AdviceBody = z.infer<typeof AdviceBody>
/** What is known of the host at an address, by it alone; times are minutes. */
export const Advice = z.object({
  host: z.nullable(Host),
  /** What "auto" would be. */
  interval: z.number(),
  /** So long without a visit puts an app to sleep; null if that isn't known. */
  sleepsAfter: z.nullable(z.int()),
  /** What all free apps of an account share. */
  budget: z.nullable(Budget),
  /** One sentence each, as far as we know. */
  notes: z.array(z.string()),
  /** When these facts were looked up. */
  asOf: z.string(),
  /** What this month's free hours would be once the entry is saved; null where they aren't counted. */
  pool: z.nullable(Pool),
})
export type Advice = z.infer<typeof Advice>
