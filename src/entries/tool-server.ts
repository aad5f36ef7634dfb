import type * as z from 'zod/mini'
import type { CheckResult } from '../platform/check-result.ts'
import type { Config } from '../platform/config/config.ts'
import type { Variables } from '../platform/config/variables.ts'
import type { Context } from '../platform/context.ts'
import type { ListColumn } from '../platform/db/list/columns.ts'
import type { Migrations } from '../platform/db/migrations/schema.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import type { App, Caller } from '../platform/http/app.ts'
import type { Job, Verdict } from '../platform/jobs/job.ts'
import type { Task } from '../platform/jobs/worker/worker.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import type { Visitor } from '../platform/net/outbound.ts'
import type { Instant, Milliseconds } from '../shared/time.ts'
import type { AnyEntryContract, PageContract, SettingsOf } from './contract.ts'

export type RunResult = {
  verdict: Verdict
  run?: {
    entryId: string
    tool: string
    ownerId: string
    at: Instant
    success: boolean
    duration: Milliseconds
    count: number | undefined
    note: string | undefined
    /** The URL it called; if absent, notices link to the entry's own page. */
    url?: string
    /** The failure isn't the target's: our own network is down, or the owner's account isn't active. */
    isOurs?: boolean
    wasFailing: boolean
  }
  /** The host asked us to wait: the entry's next turn must not run before that time has passed. */
  postponeTurn?: { entryId: string; wait: Milliseconds }
  /** Further writes in the same transaction, made only if we still lease the job. Returns the events to publish. */
  also?: (tx: Queries) => Promise<readonly LiveEvent[]>
}

/**
 * A failing target is a value, not an exception. `retryIn`: nothing is recorded, and the attempt is repeated after this
 * time: the host had no free slot (`crowded`), the target needs the time (`isWaiting`), or our side failed (`why`, for
 * the log). `isNone`: there is nothing to record.
 */
export type Outcome =
  | ({
      success: true
      duration: Milliseconds
      count?: number
      note?: string
      /** Minimum time until the next turn. */
      wait?: Milliseconds
    } & Pick<RunResult, 'also'>)
  | ({
      success: false
      duration: Milliseconds
      note: string
      count?: number
      transient?: boolean
      /** The target may be waking up, which takes at most this long; the turn is repeated until then. */
      startsIn?: Milliseconds
      /** The target didn't respond at all, as if our own network were down. */
      unreachable?: boolean
      /** Our own network seems to be down, so the entry doesn't count as failing. */
      isOurs?: boolean
      /** How long the host asked us to wait: the minimum time until the next turn. */
      wait?: Milliseconds
    } & Pick<RunResult, 'also'>)
  | ({ retryIn: Milliseconds; why?: string; crowded?: true; isWaiting?: true } & Pick<RunResult, 'also'>)
  | ({ isNone: true } & Pick<RunResult, 'also'>)

/** A run's entry, its last edit, its job, and on whose behalf it visits the host; `isAsked` if a user asked for it. */
export type RunOf = { entryId: string; editedAt: Instant; visitor: Visitor; jobId: string; isAsked: boolean }

/** Recurring runs are called turns. */
type Schedule<Settings, Own extends object = object> = {
  defaultInterval(config: Config & Own): Milliseconds
  every(settings: Settings, config: Config & Own): Milliseconds
  /** Absent if turns may run at any time. */
  earliest?(settings: Settings, at: Instant): Instant
  /** The URL that runs call; when it changes, the next turn is due immediately. */
  subject(settings: Settings): string
  /** Everything else that affects the result of a run; when it changes, runs under way are repeated. */
  terms?(settings: Settings): unknown
  target(settings: Settings, config: Config & Own): string
  perform(settings: Settings, context: Context<Own>, runContext: RunOf): Promise<Outcome>
  /** The reason an entry with these settings has turns but no runs; absent if every entry has runs. */
  noRunsReason?(settings: Settings): string | undefined
  /** Whether to repeat a turn before recording a transient failure, and a minute after the first failure. */
  retries(every: Milliseconds): boolean
}

export type SettingsContext<Own extends object = object> = Pick<Context<Own>, 'config' | 'db' | 'secrets' | 'now'>

/** By response field: returns the text shown instead of the secret. */
export type Masks = Readonly<Record<string, (secret: string) => string>>

export type Edit = { changes: Record<string, unknown>; isHandedOver: boolean }

export type SettingsSecrets<Settings> = {
  /** Generates missing secrets, and replaces masks by the secrets they stand for. Throws an HttpError. */
  complete(settings: Settings, current: Settings | undefined, edit: Edit): Settings
  /** Encrypts settings for storage, without the entry's token; `stored` are the currently stored ones. */
  seal(settings: Settings, stored: unknown, context: Context): object
  open(stored: unknown, context: SettingsContext): Settings
  /** The masked values of secret settings, for lists. */
  mask(settings: Settings): object
}

export type JobEntry = {
  id: string
  tool: string
  ownerId: string
  ownerActive: boolean
  isFailing: boolean
  stored: unknown
}

export type Imports = {
  /** An imported row is an existing entry if `identity` of this setting is the same. A mask stands for its secret. */
  field: string
  identity(value: string): string
  /** Receives the rows that name no tool. */
  isDefault?: true
  /** Columns in addition to those that all tools have. `fromRow` throws an HttpError; empty cells are left out. */
  columns: readonly string[]
  fromRow(cells: Readonly<Record<string, string>>): Record<string, unknown>
  /** Throws an HttpError if no entry can do what this monitor of Uptime Kuma does. */
  fromMonitor?(monitor: unknown): Record<string, unknown>
}

/** Data that users own in addition to entries; `name` is its name in the export. */
export type PersonalData = {
  name: string
  Shape: z.ZodMiniType
  read(userId: string, context: Pick<Context, 'db' | 'now'>): Promise<unknown>
  /** What happens to it when the owner's account is deleted, as a sentence; undefined if there is no such data. */
  whenDeleted?(userId: string, context: Pick<Context, 'db' | 'now'>): Promise<string | undefined>
}

type ToolServer<Own extends object> = {
  variables?: Variables<Own>
  /** A new name must sort after all others. */
  migrations?: Migrations
  routes?(app: App, context: Context<Own>): void
  /** Rewrites a URL of this tool that can't be decoded; returns any other URL unchanged. */
  readableUrl?(url: string): string
  personalData?: readonly PersonalData[]
  /** Deletes outdated data and does upkeep that no run does; called periodically. */
  cleanUp?(context: Pick<Context, 'db' | 'now' | 'notify' | 'events'>): Promise<void>
  selfCheck?(at: Instant): CheckResult
  /** Why this server can't have written an imported row; undefined if it is valid. */
  refuseRow?(table: string, row: Readonly<Record<string, unknown>>): string | undefined
  /** Adapts imported rows, in the transaction that imports them. */
  afterImport?(tx: Queries, db: Db): Promise<void>
}

/** `Own` is the type of the tool's own environment variables. */
export type EntryToolServer<C extends AnyEntryContract, Own extends object = object> = ToolServer<Own> & {
  contract: C
  /** Throws an HttpError if this user may not save these settings, which fit the contract. May return a warning. */
  validate?(
    settings: SettingsOf<C>,
    context: Context<Own>,
    before: SettingsOf<C> | undefined,
    user: Caller['user'],
  ): Promise<string | undefined>
  /** Describes an entry that has no name; absent if the tool finds out only later. */
  about?(settings: SettingsOf<C>): string
  /** Absent: settings are stored as they are. */
  secrets?: SettingsSecrets<SettingsOf<C>>
  /** Masks of fields that are themselves credentials, for API keys that can't write. */
  masks?: Masks
  /** Requests are matched by `address`; `sealed` is stored with the settings. */
  createToken?(context: Context<Own>): { address: string; sealed: Record<string, string> }
  /** Response fields in addition to the settings. */
  show?(stored: unknown, context: SettingsContext<Own>, settings: SettingsOf<C>): object
  /**
   * Response fields stored elsewhere, by entry id. If the contract requires them, every id must be present: lists omit
   * entries that do not fit the contract, and only the log reports it.
   */
  loadExtras?(ids: readonly string[], context: SettingsContext): Promise<ReadonlyMap<string, object>>
  /** Fields stored elsewhere that only the response for a single entry has. */
  loadDetail?(id: string, context: SettingsContext): Promise<object>
  /** Writes what follows from new or changed settings, in the same transaction. */
  afterSave?(
    entryId: string,
    settings: SettingsOf<C>,
    before: SettingsOf<C> | undefined,
    tx: Queries,
    context: Context<Own>,
  ): Promise<void>
  deliver?(job: Job, entry: JobEntry, context: Context<Own>): Task<RunResult> | Verdict
  /** Moves the planned times of these entries after the clock was set forward or back by this much. */
  shift?(
    entryIds: readonly string[],
    by: Milliseconds,
    tx: Queries,
    context: Pick<Context, 'db' | 'now' | 'jobs'>,
  ): Promise<void>
  /** Deletes data of these entries that is too large for a single statement; the rest is deleted with the entries. */
  beforeRemove?(entryIds: readonly string[], tx: Queries, context: Pick<Context, 'db'>): Promise<void>
  schedule?: Schedule<SettingsOf<C>, Own>
  imports?: Imports
  /** The list columns that only this tool has, by key, and how to search and sort by them. */
  listColumns(context: Pick<Context, 'config'>): Readonly<Record<string, ListColumn>>
}
export type PageToolServer<Own extends object = object> = ToolServer<Own> & { contract: PageContract }

export type AnyEntryToolServer = EntryToolServer<AnyEntryContract>
export type AnyToolServer = AnyEntryToolServer | PageToolServer

/** Hides the type of the tool's own variables (`Own`) from code that lists tools. */
export const entryToolServer = <C extends AnyEntryContract, Own extends object = object>(
  tool: EntryToolServer<C, Own>,
): EntryToolServer<C> => tool
