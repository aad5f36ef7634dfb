import type { Config } from '../platform/config/config.ts'
import type { Variables } from '../platform/config/variables.ts'
import type { Context } from '../platform/context.ts'
import type { Migrations } from '../platform/db/migrate.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import type { Caller } from '../platform/http/access/caller.ts'
import type { App } from '../platform/http/app.ts'
import type { Job, Verdict } from '../platform/queue/job.ts'
import type { Task } from '../platform/queue/worker.ts'
import type { Milliseconds } from '../shared/time.ts'
import type { AnyEntryContract, PageContract, SettingsOf } from './contract.ts'
import type { RunResult } from './runs/record.ts'

/** How one attempt ended. Expected failure is a value; `again` is our own trouble, of which the entry's history says nothing, and `why` is for the log. */
export type Outcome =
  | { success: true; duration: Milliseconds; count?: number; note?: string }
  | {
      success: false
      duration: Milliseconds
      note: string
      count?: number
      transient?: boolean
      /** The target did not answer at all, as when our own network is down. */
      unreachable?: boolean
      /** How long the host asks to be left alone; the next turn comes no earlier. */
      wait?: Milliseconds
    }
  | { again: Milliseconds; why?: string }

/** Work that comes round: how often, which host and port it calls, and how one turn is done. */
export type Schedule<Settings, Own extends object = object> = {
  /** How often an entry runs that says nothing else. */
  usual(config: Config & Own): Milliseconds
  every(settings: Settings, config: Config & Own): Milliseconds
  /** What a run is about: when this changes, the next turn is due at once. */
  subject(settings: Settings): string
  target(settings: Settings, config: Config & Own): string
  perform(settings: Settings, context: Context<Own>, entryId: string): Promise<Outcome>
  /** Whether a transient failure of a turn at this interval gets a second attempt before it is recorded. */
  retries(every: Milliseconds): boolean
}

/** What it takes to show an entry. */
export type Showing = Pick<Context, 'config' | 'db' | 'secrets'>

/** How settings are stored that hold secrets. */
export type SettingsSecrets<Settings> = {
  /** Settings as they will be kept: what was left out is made up, what only names the present ones is replaced by them. Throws an HttpError. */
  complete(wanted: Settings, present: Settings | undefined): Settings
  /** What is stored, beside what an entry was issued; `stored` is what lies there now. */
  seal(settings: Settings, stored: unknown, context: Context): object
  open(stored: unknown, context: Showing): Settings
  /** The settings as they may stand in a list. */
  mask(settings: Settings): object
}

/** The entry that a job of a tool's own kind belongs to; `stored` is what lies in its settings. */
export type JobEntry = { id: string; tool: string; ownerId: string; ownerActive: boolean; stored: unknown }

/** What the server half of any tool may have. */
type ToolServer<Own extends object> = {
  /** What the operator may tell it. */
  variables?: Variables<Own>
  /** Of its own tables, by a name that sorts after all names until then. */
  migrations?: Migrations
  routes?(app: App, context: Context<Own>): void
  /** Where an address under the tool's own leads that cannot be decoded; others stay as they are. */
  readableUrl?(url: string): string
  /** Drops what was kept long enough; called now and then. */
  cleanUp?(context: Pick<Context, 'db' | 'now'>): Promise<void>
  /** Brings what only this kind of database keeps into the tables that all have, before their rows move to another. */
  beforeExport?(db: Db): Promise<void>
  /** Adapts rows from another database to this one, in the transaction that imports them. */
  afterImport?(tx: Queries, db: Db): Promise<void>
}

/** The server half of a tool with entries. `Own` are its own variables. */
export type EntryToolServer<C extends AnyEntryContract, Own extends object = object> = ToolServer<Own> & {
  contract: C
  /**
   * Throws an HttpError when settings that fit the contract may not be saved all the same by this user; answers a warning
   * when they may, but.
   */
  validate?(
    settings: SettingsOf<C>,
    context: Context<Own>,
    before: SettingsOf<C> | undefined,
    user: Caller['user'],
  ): Promise<string | undefined>
  /** Absent: settings are stored as they are. */
  secrets?: SettingsSecrets<SettingsOf<C>>
  /** What a new entry gets that nobody types: the address others find it by, and what is kept beside its settings. */
  createToken?(context: Context<Own>): { address: string; kept: Record<string, string> }
  /** Fields of the answer made from what is kept. */
  show?(kept: unknown, context: Showing): object
  /** Fields of the answers that are kept beside these entries, by id. */
  loadExtras?(ids: readonly string[], context: Showing): Promise<ReadonlyMap<string, object>>
  /** What follows from new or changed settings, in the transaction that writes them. */
  afterSave?(
    entryId: string,
    settings: SettingsOf<C>,
    before: SettingsOf<C> | undefined,
    tx: Queries,
    context: Context<Own>,
  ): Promise<void>
  /** How a job of a kind of its own is done. */
  deliver?(job: Job, entry: JobEntry, context: Context<Own>): Task<RunResult> | Verdict
  /** The clock was set by so much: moves what is kept of these entries and lies in the future. */
  shift?(
    entryIds: readonly string[],
    by: Milliseconds,
    tx: Queries,
    context: Pick<Context, 'db' | 'now'>,
  ): Promise<void>
  /** Deletes what is kept of these entries in such numbers that one statement would take too long; the rest goes with them. */
  beforeRemove?(entryIds: readonly string[], tx: Queries, context: Pick<Context, 'db'>): Promise<void>
  schedule?: Schedule<SettingsOf<C>, Own>
}
/** The server half of a tool that is one page. */
export type PageToolServer<Own extends object = object> = ToolServer<Own> & { contract: PageContract }

export type AnyEntryToolServer = EntryToolServer<AnyEntryContract>
export type AnyToolServer = AnyEntryToolServer | PageToolServer

/** `Own` are the tool's own variables; whoever lists the tool reads them for it. */
export const entryToolServer = <C extends AnyEntryContract, Own extends object = object>(
  tool: EntryToolServer<C, Own>,
): EntryToolServer<C> => tool
