import * as z from 'zod/mini'
import { EntryId, entryContract } from '../../entries/contract.ts'
import { Quiet } from '../../shared/quiet.ts'
import { RefusedIds } from '../../shared/schemas/bulk.ts'
import { WebUrl } from '../../shared/urls/web-url.ts'
import { keepaliveNames } from './terms.ts'

const wrong = {
  error: 'Enter whole minutes from 1 to 10080 (7 days), "auto" for what the host needs, or null for the default.',
}
const Minutes = z.int(wrong).check(z.minimum(1, wrong), z.maximum(10_080, wrong))

const Method = z.enum(['GET', 'HEAD'], { error: 'Use GET or HEAD.' })

const mostHeaders = 10
const longestValue = 2_048

/** Headers that identify the target or sender of a request, and hop-by-hop headers. */
const refused =
  /^(?:host|cookie2?|content-length|expect|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|proxy-.*|forwarded|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-(?:real|client|cluster-client|remote)-ip|(?:true-client|cf-connecting|fastly-client)-ip|via)$/i

/** Whether a header is forbidden. Many servers read an underscore in a name as a hyphen. */
export const isRefusedHeader = (name: string): boolean => refused.test(name.replaceAll('_', '-'))

const HeaderName = z.string({ error: "Enter the header's name." }).check(
  z.trim(),
  z.minLength(1, { error: "Enter the header's name." }),
  z.maxLength(100, { error: 'Use at most 100 characters for the name of a header.' }),
  z.regex(/^[\w!#$%&'*+.^`|~-]*$/, { error: "A header's name can have letters, digits and hyphens." }),
  z.refine((name) => !isRefusedHeader(name), { error: ({ input }) => `The header ${String(input)} can't be set.` }),
)

/** Shown in place of a secret value. No value contains it, because it isn't ASCII. */
export const masked = '••••'
const HeaderValue = z.string({ error: "Enter the header's value." }).check(
  z.trim(),
  z.maxLength(longestValue, { error: `Use at most ${longestValue} characters for the value of a header.` }),
  z.regex(/^(?:•{4})?[\t\x20-\x7e]*$/, {
    error: "A header's value can only have ASCII letters, digits, spaces and punctuation.",
  }),
)

/** The additional headers of a ping. A header without a value is not sent. */
export const Headers = z.array(z.strictObject({ name: HeaderName, value: HeaderValue })).check(
  z.maxLength(mostHeaders, { error: `Use at most ${mostHeaders} headers.` }),
  z.refine((headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length, {
    error: 'Use each header only once.',
  }),
)
export type Headers = z.infer<typeof Headers>

const statusError = { error: 'Enter statuses such as 200-399,401.' }
const isRange = ([from = 0, to = from]: readonly number[]) => from <= to
const Statuses = z.string(statusError).check(
  z.trim(),
  z.maxLength(200, { error: 'Use at most 200 characters.' }),
  z.regex(/^[1-5]\d\d(?:\s*-\s*[1-5]\d\d)?(?:\s*,\s*[1-5]\d\d(?:\s*-\s*[1-5]\d\d)?)*$/, statusError),
  z.refine((list) => list.split(',').every((part) => isRange(part.split('-').map(Number))), statusError),
)
const Text = z
  .string({ error: 'Enter a text.' })
  .check(z.minLength(1, { error: 'Enter a text.' }), z.maxLength(500, { error: 'Use at most 500 characters.' }))

/** The conditions for a success; by default, a status below 400. The texts are searched in the first 64 KB. */
export const Expect = z.strictObject({
  statuses: z.optional(Statuses),
  text: z.optional(Text),
  absent: z.optional(Text),
})
export type Expect = z.infer<typeof Expect>

const actKinds = ['request', 'streamlit', 'supabase', 'person'] as const
const ActKind = z.enum(actKinds)
/** What keeps an app awake: a plain request, or an act that its host needs. */
export type ActKind = z.infer<typeof ActKind>
const Keep = z.enum([...actKinds, 'auto'], { error: `Use one of auto, ${actKinds.join(', ')}.` })

/** The role in a key of the older form, a JSON Web Token; undefined for any other text. */
function roleOf(key: string): unknown {
  try {
    return JSON.parse(atob((key.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))).role
  } catch {
    return undefined
  }
}
const isSecretKey = (key: string) => /sb_secret_/i.test(key) || !['anon', undefined].includes(roleOf(key) as string)

/** The publishable key of a project; empty after it was cleared. */
const SupabaseKey = z.string({ error: "Enter the project's publishable key." }).check(
  z.trim(),
  z.maxLength(longestValue, { error: `Use at most ${longestValue} characters for the key.` }),
  z.regex(/^(?:•{4})?[\x21-\x7e]*$/, { error: 'A key can only have ASCII letters, digits and punctuation.' }),
  z.refine((key) => !isSecretKey(key), {
    error: 'This is a secret key, which gives access to everything. Use the publishable key.',
  }),
)
const nameError = { error: 'Enter a name as in the database, such as todos.' }
const DatabaseName = z.string(nameError).check(z.trim(), z.regex(/^[\p{L}_][\p{L}\p{N}_$ -]{0,62}$/u, nameError))

/** The queries to a Supabase project: rows of a table and, optionally, a function without arguments. */
const Supabase = z.strictObject({ key: SupabaseKey, table: DatabaseName, rpc: z.optional(DatabaseName) })
export type Supabase = z.infer<typeof Supabase>

const Due = z.iso.date({ error: 'Enter a date such as 2026-12-31.' })

/** The defaults of settings that older entries lack. */
export const newerDefaults = {
  quiet: null,
  method: 'GET' as const,
  headers: [],
  expect: null,
  keep: 'request' as const,
  supabase: null,
  due: null,
}

export const keepalive = entryContract({
  names: keepaliveNames,
  settings: {
    url: WebUrl,
    /** Whole minutes from the start of a ping to the next. "auto": as the host needs; null: the configured default. */
    interval: z.nullable(z.union([Minutes, z.literal('auto')], wrong)),
    /** Hours in which no turn runs; null for none. */
    quiet: z.nullable(Quiet),
    method: Method,
    headers: Headers,
    expect: z.nullable(Expect),
    /** "auto": as the URL's host needs, if the entry has the settings for that; see `kept`. */
    keep: Keep,
    supabase: z.nullable(Supabase),
    /** The day (UTC) by which the owner has to extend the app. */
    due: z.nullable(Due),
  },
  defaults: { interval: null, ...newerDefaults },
  added: {
    /** The effective interval in minutes. */
    every: z.number(),
    /** The effective value of `keep`. */
    kept: ActKind,
    /** How often turns found the app asleep, and when one last did. */
    foundAsleep: z.object({ count: z.int(), lastAt: z.nullable(z.int()) }),
    /** The page where the owner extends or restores the app; null if its act involves neither. */
    place: z.nullable(z.string()),
    /** Until when an app that its host has paused can be restored; null for other apps. */
    restorableUntil: z.nullable(z.int()),
    /** The expiry of the host's certificate, epoch milliseconds, and the days until then; null until one was seen. */
    certificate: z.nullable(z.object({ validTo: z.int(), days: z.int() })),
    /** Only in the response to a save: what remains to be done. */
    warning: z.optional(z.string()),
  },
})

const Host = z.object({ id: z.string(), name: z.string() })
const Budget = z.object({ hours: z.int(), per: z.literal('month') })

/** The free hours shared by all apps of an account at a host, and the hours that an owner's active entries use. */
const Pool = z.object({
  host: Host,
  entries: z.int(),
  /** The number of host names that these entries ping: all URLs with the same name are one app. */
  apps: z.int(),
  /** The hours in the calendar month (UTC), and those up to now. Each entry counts from its creation on. */
  hours: z.number(),
  used: z.number(),
  budget: Budget,
  over: z.boolean(),
  /** When the hours are or were used up; null if they last. */
  runsOutAt: z.nullable(z.int()),
  /** Quiet hours with which the hours last if all these apps have them every day; null if not needed or possible. */
  quiet: z.nullable(z.object({ from: z.string(), to: z.string() })),
})
export type Pool = z.infer<typeof Pool>

const { interval, quiet } = keepalive.Settings.shape
/** The URL of an app. The other fields describe an entry for a forecast of the host's free hours. */
const AdviceBody = z.strictObject({
  url: WebUrl,
  interval: z.optional(interval),
  quiet: z.optional(quiet),
  status: z.optional(z.boolean()),
  /** The id of the entry to change; missing for a new entry. */
  id: z.optional(z.string()),
})
export type AdviceBody = z.infer<typeof AdviceBody>
/** The known facts about the host of a URL, derived from the URL alone. Times are minutes. */
const Advice = z.object({
  host: z.nullable(Host),
  /** The interval that "auto" means. */
  interval: z.number(),
  /** The act that `keep: "auto"` means. */
  keep: ActKind,
  /** The idle time after which an app falls asleep; null if unknown. */
  sleepsAfter: z.nullable(z.int()),
  budget: z.nullable(Budget),
  notes: z.array(z.string()),
  asOf: z.string(),
  /** The forecast of this month's free hours with the entry saved; null if they aren't counted. */
  pool: z.nullable(Pool),
})
export type Advice = z.infer<typeof Advice>

/** The idle minutes after which an app was found asleep and awake, how often it was woken, and a suggested interval. */
const Sleep = z.object({
  asleepAfter: z.nullable(z.int()),
  awakeAfter: z.nullable(z.int()),
  wakings: z.int(),
  suggestion: z.nullable(z.int()),
  /** When the search ends at the latest, epoch milliseconds; null if none is running. */
  until: z.nullable(z.int()),
})
export type Sleep = z.infer<typeof Sleep>

export const actCalls = {
  'POST /api/v1/keepalive/done?id': { query: EntryId, answer: z.object({ id: z.string(), due: Due }) },
  'GET /api/v1/keepalive/offers': { answer: z.object({ ids: z.array(z.string()) }) },
  'POST /api/v1/keepalive/offers': { answer: z.object({ done: z.array(z.string()), refused: RefusedIds }) },
  'GET /api/v1/keepalive/sleep': { query: EntryId, answer: Sleep },
  'POST /api/v1/keepalive/sleep?id': { query: EntryId, answer: Sleep, status: 202 },
} as const
type ActCalls = typeof actCalls

const EndingCertificate = z.object({
  ...{ id: z.string(), name: z.nullable(z.string()), about: z.string() },
  ...{ validTo: z.int(), days: z.int() },
})

export const hostCalls = {
  'POST /api/v1/keepalive/advice': { body: AdviceBody, answer: Advice },
  'GET /api/v1/keepalive/forecast': { answer: z.array(Pool) },
  'GET /api/v1/keepalive/certificates': { answer: z.array(EndingCertificate) },
} as const
type HostCalls = typeof hostCalls

declare module '../../shared/calls.ts' {
  interface Calls extends HostCalls, ActCalls {}
}
