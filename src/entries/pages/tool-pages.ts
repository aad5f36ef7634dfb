import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Words } from '../../ui/form/conflict/words.ts'
import type { Draft } from '../../ui/form/draft.ts'
import type { Column } from '../../ui/table/column.ts'
import type { AnyEntryContract, EntryOf, ListItemOf, Run, SettingsOf, Stats } from '../contract.ts'
import type { EntryNames } from '../define-tool.ts'

/** What every entry shows, whatever its tool. */
export type Item = {
  id: string
  status: boolean
  owner: string
  createdAt: number
  updatedAt: number
  lastRun: Run | null
  nextRunAt: number | null
  waitingSince: number | null
}
/** `warning` comes with the answer to a save. */
export type Detail = Item & {
  history: Run[]
  stats: Stats
  changedBy: string | null
  changedById: string | null
  changedAt: number
  warning?: string | undefined
}
/** What is typed on the create and modify pages, whatever the tool. */
export type Common = { status: boolean; owner: string }

/** What the shared pages know of a tool's contract. */
export type PageNames = Omit<EntryNames, 'kind'>

/** What the four shared pages cannot guess about a tool. */
export type EntryScreens<Row extends Item = Item, Entry extends Detail = Detail, Settings extends object = object> = {
  contract: PageNames
  /** The few words under the title of the list. */
  listLead: string
  /** What the switch for active entries means. */
  statusHint: string
  About: ComponentType
  columns: readonly Column<Row>[]
  blank: Settings
  settingsOf: (entry: Entry) => Settings
  /** What the settings say, by the labels of their fields. */
  words: (settings: Settings) => Words
  /** The labels of required text fields that are empty. */
  missing: (settings: Settings) => string[]
  /** Why the contract would refuse, by field. */
  check: (settings: Settings) => Record<string, string>
  /** `id` is the entry's, once it is saved. */
  Fields: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** Stands before the run history: what only this tool shows of an entry. */
  Side: ComponentType<{ entry: Entry }>
  /** Stands under the form: how others reach this entry, where they can. */
  Reach?: ComponentType<{ entry: Entry }>
  /** Whether delete asks for the same entry again, or goes back to the blank page. */
  afterDelete: 'reload' | 'blank'
}

/** What the menu and the home page show of a tool. */
type Card = {
  Icon: LucideIcon
  /** As in the menu. */
  hint: string
  /** As on the home page. */
  blurb: string
}

/** A tool with entries: its card, and its screens, fetched when they are wanted. */
export type EntryPages<C extends AnyEntryContract = AnyEntryContract> = Card & {
  /** What people know an entry by, where there is no room for more. */
  nameOf(row: ListItemOf<C>): string
  screens: () => Promise<ScreensOf<C>>
}
export type ScreensOf<C extends AnyEntryContract> = EntryScreens<
  ListItemOf<C> & Item,
  EntryOf<C> & Detail,
  SettingsOf<C>
>
/** A tool that is one page of its own. */
export type OnePage = Card & {
  /** The words on its card that count something, for whoever may use the tools. */
  counter: () => Promise<ComponentType>
  page: () => Promise<ComponentType>
}
