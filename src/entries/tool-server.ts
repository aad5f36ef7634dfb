import type * as z from 'zod/mini'
import type { Config } from '../platform/config/config.ts'
import type { Variables } from '../platform/config/variables.ts'
import type { Context } from '../platform/context.ts'
import type { ListColumn } from '../platform/db/list/columns.ts'
import type { Migrations } from '../platform/db/migrations/migrate.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import type { Finding } from '../platform/finding.ts'
import type { App, Caller } from '../platform/http/app.ts'
import type { Job, Verdict } from '../platform/jobs/job.ts'
import type { Task } from '../platform/jobs/worker/worker.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import type { Visitor } from '../platform/net/outbound.ts'
import type { Instant, Milliseconds } from '../shared/time.ts'
import type { AnyEntryContract, PageContract, SettingsOf } from './contract.ts'

/** One finished run, and what becomes of its job. */
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
    /** What it called; its own page, if that is a secret. */
    url?: string
    /** Its failure says nothing about its target: our own network is down, or its owner's account isn't active. */
    isOurs?: boolean
    wasFailing: boolean
  }
  /** The entry's host asked us to wait: its next turn comes no earlier. */
  postponeTurn?: { entryId: string; wait: Milliseconds }
  /** Further writes of the same transaction, made only if the job is still ours; returns the events to publish. */
  also?: (tx: Queries) => Promise<readonly LiveEvent[]>
}

/**
 * How one attempt ended. Failure of the target is a value. `again` is tried again after that time and not recorded: there
 * was no place for it (`crowded`), its target needs that time (`isWaiting`), or trouble of our own, of which `why` is
 * logged. `isNone`: there was nothing to record.
 */
export type Outcome =
  | ({
      success: true
      duration: Milliseconds
      count?: number
      note?: string
      /** The next turn comes no earlier. */
      wait?: Milliseconds
    } & Pick<RunResult, 'also'>)
  | ({
      success: false
      duration: Milliseconds
      note: string
      count?: number
      transient?: boolean
      /** It may be waking up, which takes so long at most: until then a turn is tried again. */
      startsIn?: Milliseconds
      /** The target didn't answer at all, as when our own network is down. */
      unreachable?: boolean
      /** Our own network seems to be down, so the entry doesn't count as failing. */
      isOurs?: boolean
      /** How long the host asks us to wait; the next turn comes no earlier. */
      wait?: Milliseconds
    } & Pick<RunResult, 'also'>)
  | ({ again: Milliseconds; why?: string; crowded?: true; isWaiting?: true } & Pick<RunResult, 'also'>)
  | ({ isNone: true } & Pick<RunResult, 'also'>)

/** The entry of a run and its last edit, and on whose behalf its host is visited; `isAsked` if a user started it by Run now. */
export type RunOf = { entryId: string; editedAt: Instant; visitor: Visitor; isAsked: boolean }

/** Recurring work: how often it runs, which host and port it calls, and how a turn is done. */
type Schedule<Settings, Own extends object = object> = {
  /** The interval of an entry without one. */
  defaultInterval(config: Config & Own): Milliseconds
  every(settings: Settings, config: Config & Own): Milliseconds
  /** The first time from this one on at which a turn may run; absent if any time will do. */
  earliest?(settings: Settings, at: Instant): Instant
  /** What a run is about; the next turn is due at once when this changes. */
  subject(settings: Settings): string
  /** What else decides how a run ends; runs that are under way when this changes are done anew. */
  terms?(settings: Settings): unknown
  target(settings: Settings, config: Config & Own): string
  perform(settings: Settings, context: Context<Own>, of: RunOf): Promise<Outcome>
  /** Why an entry with these settings has no runs, which its turns are not then; absent if every entry has. */
  noRuns?(settings: Settings): string | undefined
  /** Whether a turn at this interval gets a second attempt: before a transient failure is recorded, and a minute after the first failure that was. */
  retries(every: Milliseconds): boolean
}

export type Showing<Own extends object = object> = Pick<Context<Own>, 'config' | 'db' | 'secrets' | 'now'>

/** Fields of an answer, by name: what stands for a secret in them where it may not be shown. */
export type Masks = Readonly<Record<string, (secret: string) => string>>

/** The settings that a body names, and whether it gives the entry to another owner. */
export type Edit = { changes: Record<string, unknown>; isHandedOver: boolean }

export type SettingsSecrets<Settings> = {
  /** Generates secrets that were left out, and replaces masks by what they stand for. Throws an HttpError. */
  complete(settings: Settings, present: Settings | undefined, edit: Edit): Settings
  /** Settings as they will be stored, without the entry's token; `stored` is what is there now. */
  seal(settings: Settings, stored: unknown, context: Context): object
  open(stored: unknown, context: Showing): Settings
  /** The settings that replace secret ones in a list. */
  mask(settings: Settings): object
}

/** The entry of a job of the tool's own kind; `stored` are its settings as stored. */
export type JobEntry = {
  id: string
  tool: string
  ownerId: string
  ownerActive: boolean
  isFailing: boolean
  stored: unknown
}

/** What files that were made elsewhere say about entries of this tool. */
export type Imports = {
  /** The setting by which a file and an entry mean the same, and what its values have in common if they do; a mask means the secret. */
  field: string
  identity(value: string): string
  /** Takes the lines that name no tool. */
  isUsual?: true
  /** What a row of a table says, by these columns and those of every tool; empty cells are left out. Throws an HttpError. */
  columns: readonly string[]
  fromRow(cells: Readonly<Record<string, string>>): Record<string, unknown>
  /** What a monitor of Uptime Kuma says. Throws an HttpError if no entry can do what it does. */
  fromMonitor?(monitor: unknown): Record<string, unknown>
}

/** What users own in a tool, other than entries: its name in the file of all their data, its shape, and how it is read. */
export type PersonalData = {
  name: string
  Shape: z.ZodMiniType
  read(userId: string, context: Pick<Context, 'db' | 'now'>): Promise<unknown>
  /** What becomes of it when its owner's account is deleted, as a sentence; undefined if there is nothing. */
  whenDeleted?(userId: string, context: Pick<Context, 'db' | 'now'>): Promise<string | undefined>
}

type ToolServer<Own extends object> = {
  variables?: Variables<Own>
  /** Migrations of its tables; a new name sorts after all others. */
  migrations?: Migrations
  routes?(app: App, context: Context<Own>): void
  /** Rewrites a URL of this tool that can't be decoded; returns any other as it is. */
  readableUrl?(url: string): string
  personalData?: readonly PersonalData[]
  /** Deletes what is old, and looks after what no run does; called now and then. */
  cleanUp?(context: Pick<Context, 'db' | 'now' | 'notify' | 'events'>): Promise<void>
  selfCheck?(at: Instant): Finding
  /** Why a row of its tables, which comes from a file, is none that this server writes; undefined if it could be. */
  refuseRow?(table: string, row: Readonly<Record<string, unknown>>): string | undefined
  /** Adapts rows from another database to this one, in the transaction that imports them. */
  afterImport?(tx: Queries, db: Db): Promise<void>
}

/** The server half of a tool with entries. `Own` are its own variables. */
export type EntryToolServer<C extends AnyEntryContract, Own extends object = object> = ToolServer<Own> & {
  contract: C
  /** Throws an HttpError if this user may not save these settings although they fit the contract; may answer a warning. */
  validate?(
    settings: SettingsOf<C>,
    context: Context<Own>,
    before: SettingsOf<C> | undefined,
    user: Caller['user'],
  ): Promise<string | undefined>
  /** What an entry is about, in words; absent where that is learned later. */
  about?(settings: SettingsOf<C>): string
  /** Absent: settings are stored as they are. */
  secrets?: SettingsSecrets<SettingsOf<C>>
  /** What an API key that can't write sees instead of these fields, which give access to anyone who knows them. */
  masks?: Masks
  /** The token of a new entry: its address, which others find it by, and what is stored with the settings. */
  createToken?(context: Context<Own>): { address: string; kept: Record<string, string> }
  /** Fields of the answer made from what is stored, and from the settings in clear. */
  show?(kept: unknown, context: Showing<Own>, settings: SettingsOf<C>): object
  /**
   * Fields of the answers that are stored elsewhere, by the entry's id. Every id asked for must be there if the contract
   * requires these fields: a list leaves an entry out that doesn't fit it, and only the log says so.
   */
  loadExtras?(ids: readonly string[], context: Showing): Promise<ReadonlyMap<string, object>>
  /** Fields that only the answer about one entry has, and that are stored elsewhere. */
  loadDetail?(id: string, context: Showing): Promise<object>
  /** What follows from new or changed settings, in the transaction that writes them. */
  afterSave?(
    entryId: string,
    settings: SettingsOf<C>,
    before: SettingsOf<C> | undefined,
    tx: Queries,
    context: Context<Own>,
  ): Promise<void>
  /** Does a job of the tool's own kind. */
  deliver?(job: Job, entry: JobEntry, context: Context<Own>): Task<RunResult> | Verdict
  /** The clock was set by this much: moves what is planned for these entries. */
  shift?(
    entryIds: readonly string[],
    by: Milliseconds,
    tx: Queries,
    context: Pick<Context, 'db' | 'now' | 'jobs'>,
  ): Promise<void>
  /** Deletes what these entries have so much of that one statement would take too long; the rest is deleted with them. */
  beforeRemove?(entryIds: readonly string[], tx: Queries, context: Pick<Context, 'db'>): Promise<void>
  schedule?: Schedule<SettingsOf<C>, Own>
  imports?: Imports
  /** The columns that only its own list has, by key: how that is searched and sorted. */
  listColumns(context: Pick<Context, 'config'>): Readonly<Record<string, ListColumn>>
}
export type PageToolServer<Own extends object = object> = ToolServer<Own> & { contract: PageContract }

export type AnyEntryToolServer = EntryToolServer<AnyEntryContract>
export type AnyToolServer = AnyEntryToolServer | PageToolServer

/** Hides the type of the tool's own variables (`Own`) from those who list tools. */
export const entryToolServer = <C extends AnyEntryContract, Own extends object = object>(
  tool: EntryToolServer<C, Own>,
): EntryToolServer<C> => tool
