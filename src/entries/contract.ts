import * as z from 'zod/mini'
import { idsOf, RefusedIds } from '../shared/schemas/bulk.ts'
import { IfUpdatedAt, ignored, lastEdit } from '../shared/schemas/edits.ts'
import { canonicalizeEmail, isEmail } from '../shared/schemas/email.ts'
import { hasControls, isVisible, OptionalName } from '../shared/schemas/names.ts'
import type { EntryNames } from './define-tool.ts'

/** `duration` is in milliseconds, `status` is the HTTP status or the tool's own count, `note` explains the result. */
export const Run = z.object({
  success: z.boolean(),
  timestamp: z.int(),
  duration: z.optional(z.int()),
  status: z.optional(z.int()),
  note: z.optional(z.string()),
})
export type Run = z.infer<typeof Run>

const Share = z.nullable(z.number())
/**
 * `up` covers all kept runs, `uptime` a period up to now; both are 0–1, null without runs. `uptime` is also null until
 * runs cover half of the period. `median`, `p95` and a day's average `ms` are in milliseconds. `days` are oldest first.
 */
export const Stats = z.object({
  up: z.nullable(z.number()),
  median: z.nullable(z.number()),
  p95: z.nullable(z.number()),
  uptime: z.object({ '24h': Share, '7d': Share, '30d': Share, '90d': Share }),
  days: z.array(z.object({ day: z.string(), ok: z.int(), fail: z.int(), ms: z.int() })),
})
export type Stats = z.infer<typeof Stats>

export const EntryId = z.object({ id: z.string().check(z.minLength(1, { error: 'Enter an ID.' })) })

/** `waitingSince` is set if the entry's turn is already waiting for its host. */
const RunNow = z.extend(EntryId, { waitingSince: z.nullable(z.int()) })

/** The first that applies. `paused`: entry or owner is inactive. `blocked`: its target rejects what it sends. */
const healths = ['paused', 'blocked', 'failing', 'new', 'ok'] as const
export const Health = z.enum(healths, { error: `Use one of these: ${healths.join(', ')}.` })
export type Health = z.infer<typeof Health>

/** The app's state at the last turn; null while unknown, and if turns don't check it. */
export const Awake = z.nullable(z.enum(['awake', 'asleep', 'waking', 'paused', 'gone']))

export const recentRuns = 30

/** Limits the response to the caller's own entries, for users with Admin Access, who otherwise get all users'. */
const Mine = z.optional(z.literal('true', { error: 'Use true, or leave it out.' }))

/** The last runs, newest first; unpaged lists don't include them. */
const Recent = z.array(z.object({ timestamp: z.int(), success: z.boolean() }))

/** Times are epoch milliseconds; `since` is the first failure in a row, `openedAt` the one that opened the incident. */
export const Incident = z.object({
  id: z.string(),
  entry: z.string(),
  tool: z.string(),
  name: z.nullable(z.string()),
  about: z.string(),
  since: z.int(),
  openedAt: z.int(),
  closedAt: z.nullable(z.int()),
  cause: z.string(),
  /** The note on the owner's status page. */
  note: z.nullable(z.string()),
  notedAt: z.nullable(z.int()),
})
export type Incident = z.infer<typeof Incident>

export const longestNote = 280

export const IncidentNote = z.nullable(
  z.pipe(
    z.string({ error: 'Enter a note, or null for none.' }).check(
      z.trim(),
      z.maxLength(longestNote, { error: `Use at most ${longestNote} characters.` }),
      z.refine((note) => !hasControls(note), {
        error: "The note can't contain control characters or text direction marks.",
      }),
    ),
    z.transform((note) => (isVisible(note) ? note : null)),
  ),
)

/** `blocked`: whether the target rejects what the entry sends. Only the first open incidents have `recent` runs. */
const ListedIncident = z.extend(Incident, { blocked: z.boolean(), awake: Awake, recent: z.optional(Recent) })
export type ListedIncident = z.infer<typeof ListedIncident>

const common = {
  id: z.string(),
  name: z.nullable(z.string()),
  /** Describes an entry that has no name: host and path, a repository, or an app. */
  about: z.string(),
  status: z.boolean(),
  /** The number of failures in a row that open an incident. */
  notifyAfter: z.int(),
  health: Health,
  failingSince: z.nullable(z.int()),
  /** Null if it is active, or was switched off before this was recorded. */
  pausedSince: z.nullable(z.int()),
  awake: Awake,
  onlyReminds: z.boolean(),
  owner: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
  lastRun: z.nullable(Run),
  nextRunAt: z.nullable(z.int()),
  waitingSince: z.nullable(z.int()),
}
const detailFields = {
  history: z.array(Run),
  stats: Stats,
  recent: Recent,
  /** The address of its badges; with `.json` instead of `.svg`, an endpoint for shields.io. */
  badge: z.string(),
  ...lastEdit,
}

const settable = ['id', 'name', 'status', 'notifyAfter', 'owner']
const readOnly = Object.keys({ ...common, ...detailFields }).filter((name) => !settable.includes(name))

const Status = z.boolean({ error: 'Use true for active or false for inactive.' })
const tooMany = { error: 'Use a whole number from 1 to 20.' }
const NotifyAfter = z.int(tooMany).check(z.minimum(1, tooMany), z.maximum(20, tooMany))
export const CommonFields = z.object({ name: OptionalName, notifyAfter: NotifyAfter })
const Owner = z.string().check(z.trim(), canonicalizeEmail, isEmail("Enter the owner's email."))

type Shape = Record<string, z.ZodMiniType>
const withDefaults = <S extends Shape>(shape: S, defaults: object): S =>
  ({
    ...shape,
    ...Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, z._default(shape[name]!, value)])),
  }) as S

export function entryContract<
  const Id extends string,
  Settings extends Shape,
  Added extends Shape,
  Detailed extends Shape = Record<never, never>,
>(def: {
  names: EntryNames<Id>
  /** The fields that the owner may set. */
  settings: Settings
  /** Default values of settings that a new entry may omit. */
  defaults: Partial<z.infer<z.ZodMiniObject<Settings>>>
  /** Read-only fields, in lists as well as in the response for a single entry. */
  added: Added
  /** Read-only fields that only the response for a single entry has. */
  detailed?: Detailed
}) {
  const Settings = z.object(def.settings)
  // Without this argument, `Detailed` has no fields.
  const detailed = def.detailed ?? ({} as Detailed)
  const skipped = ignored(...readOnly, ...Object.keys(def.added), ...Object.keys(detailed))
  return {
    ...def.names,
    Settings,
    ListItem: z.object({ ...common, recent: z.optional(Recent), ...def.settings, ...def.added }),
    Entry: z.object({ ...common, ...detailFields, ...def.settings, ...def.added, ...detailed }),
    CreateBody: z.strictObject({
      ...skipped,
      ...ignored('id'),
      name: z._default(OptionalName, null),
      status: z._default(Status, true),
      notifyAfter: z._default(NotifyAfter, 2),
      owner: z.optional(Owner),
      ...withDefaults(def.settings, def.defaults),
    }),
    PatchBody: z.strictObject({
      ...skipped,
      id: z.string({ error: "Enter the entry's ID." }),
      ifUpdatedAt: IfUpdatedAt,
      name: z.optional(OptionalName),
      status: z.optional(Status),
      notifyAfter: z.optional(NotifyAfter),
      owner: z.optional(Owner),
      ...z.partial(Settings).shape,
    }),
  }
}

export type AnyEntryContract = EntryNames & {
  Settings: z.ZodMiniObject
  ListItem: z.ZodMiniObject
  Entry: z.ZodMiniObject
  CreateBody: z.ZodMiniObject
  PatchBody: z.ZodMiniObject
}
/** A tool that consists of one page and stores nothing per owner. */
export type PageContract = { kind: 'page'; id: string; label: string }

export type EntryOf<C extends AnyEntryContract> = z.infer<C['Entry']>
export type ListItemOf<C extends AnyEntryContract> = z.infer<C['ListItem']>
export type SettingsOf<C extends AnyEntryContract> = z.infer<C['Settings']>

const longestText = 200

const SearchQuery = z.object({
  text: z
    .string()
    .check(z.trim(), z.maxLength(longestText, { error: `Search for at most ${longestText} characters.` })),
  mine: Mine,
})

export const Found = z.object({
  id: z.string(),
  tool: z.string(),
  name: z.nullable(z.string()),
  about: z.string(),
  status: z.boolean(),
})
export type Found = z.infer<typeof Found>

const acts = ['activate', 'pause', 'run', 'delete', 'give'] as const
export type Act = (typeof acts)[number]

const Edits = z.record(z.string(), z.int())

/** `owner` is the new owner's email. An entry edited after its `ifUpdatedAt` is neither paused nor activated. */
const BulkBody = z.strictObject({
  ids: idsOf('entry', 'entries'),
  act: z.enum(acts, { error: `Use one of ${acts.join(', ')}.` }),
  owner: z.optional(z.string().check(z.trim(), canonicalizeEmail, isEmail("Enter the new owner's email."))),
  ifUpdatedAt: z.optional(Edits),
})
export type BulkBody = z.infer<typeof BulkBody>

/**
 * `unchanged` is the part of `done` that needed no change. `updatedAt` undoes pausing and activating: send it as
 * `ifUpdatedAt` to the opposite act. `progress` is the id of the batch if the runs start at a limited rate.
 */
const BulkAnswer = z.object({
  done: z.array(z.string()),
  unchanged: z.array(z.string()),
  updatedAt: z.optional(Edits),
  progress: z.optional(z.string()),
  refused: RefusedIds,
})
export type BulkAnswer = z.infer<typeof BulkAnswer>

const count = z.int()
const Figures = z.object({
  ...{ active: count, inactive: count, total: count },
  ...{ failing: count, blocked: count, paused: count, new: count, ok: count },
})
export type Figures = z.infer<typeof Figures>

export const entryCalls = <C extends AnyEntryContract>({
  Entry,
  ListItem,
  CreateBody,
  PatchBody,
}: Pick<C, 'Entry' | 'ListItem' | 'CreateBody' | 'PatchBody'>) =>
  ({
    'GET /api/v1/:tool': { query: EntryId, answer: Entry },
    'POST /api/v1/:tool/': { body: CreateBody, answer: Entry, status: 201 },
    'PATCH /api/v1/:tool': { body: PatchBody, answer: Entry },
    'DELETE /api/v1/:tool': { query: EntryId, answer: EntryId },
    'POST /api/v1/:tool/run?id': { query: EntryId, answer: RunNow, status: 202 },
    'POST /api/v1/:tool/badge?id': { query: EntryId, answer: z.object({ badge: z.string() }) },
    'POST /api/v1/:tool/bulk': { body: BulkBody, answer: BulkAnswer },
    'GET /api/v1/:tool/figures': { query: z.strictObject({ mine: Mine }), answer: Figures },
    'GET /api/v1/:tool/recent': {
      answer: z.object({ rows: z.array(ListItem), recent: Recent, today: z.object({ ok: z.int(), fail: z.int() }) }),
    },
  }) as const
type None = Record<never, never>
/** The calls of a tool without settings, so shared pages see only the common fields. */
type EntryCalls = ReturnType<typeof entryCalls<ReturnType<typeof entryContract<string, None, None>>>>

/** A batch of runs that start at a limited rate; `endsAt` is when the last one starts. */
const Progress = z.object({
  id: z.string(),
  kind: z.enum(['import', 'run']),
  total: count,
  done: count,
  endsAt: z.int(),
})
export type Progress = z.infer<typeof Progress>

export const crossToolCalls = {
  'GET /api/v1/search': { query: SearchQuery, answer: z.object({ rows: z.array(Found) }) },
  'GET /api/v1/user/progress': { answer: z.array(Progress) },
  'DELETE /api/v1/user/progress': { query: EntryId, answer: EntryId },
  'GET /api/v1/incidents': {
    query: z.strictObject({
      open: z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' })),
      id: z.optional(z.string()),
      before: z.optional(
        z.pipe(z.string().check(z.regex(/^\d{1,15}$/, { error: 'Use a time in milliseconds.' })), z.transform(Number)),
      ),
    }),
    answer: z.array(ListedIncident),
  },
  'PATCH /api/v1/incidents': {
    body: z.strictObject({ id: z.string({ error: 'Enter an ID.' }), note: IncidentNote }),
    answer: z.object({ id: z.string(), note: z.nullable(z.string()), notedAt: z.nullable(z.int()) }),
  },
} as const
type CrossToolCalls = typeof crossToolCalls

declare module '../shared/calls.ts' {
  interface Calls extends EntryCalls, CrossToolCalls {}
}
