import type { LucideIcon } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Answer } from '../../ui/data/call.ts'
import type { Draft } from '../../ui/form/draft.ts'
import type { Fields } from '../../ui/form/fields.ts'
import type { Column } from '../../ui/table/column.ts'
import type { AnyEntryContract, EntryOf, ListItemOf, SettingsOf } from '../contract.ts'
import type { EntryNames } from '../define-tool.ts'

/** A list item of any tool, with the fields that all tools share. */
export type Item = Answer<'GET /api/v1/:tool/recent'>['rows'][number]
/** The response to a save may have a `warning`. */
export type Detail = Answer<'GET /api/v1/:tool'> & { warning?: string | undefined }
export type Common = { name: string; status: boolean; notifyAfter: number; owner: string }

export type PageNames = Omit<EntryNames, 'kind'>

type AnySettings = Record<string, unknown>
export type Values = AnySettings & Common

export type EntryScreens<
  Row extends Item = Item,
  Entry extends Detail = Detail,
  Settings extends object = AnySettings,
> = {
  contract: PageNames
  listNote?: ReactNode
  /** Shown below the list, because above it, it would move the list. */
  listFoot?: ReactNode
  /** Explains the switch that activates an entry. */
  statusHint: string
  About: ComponentType
  columns: readonly Column<Row>[]
  fields: Fields<Settings>
  /** The example that an empty list offers for a new entry: its description, and the values of the form. */
  example: { text: ReactNode; values: Partial<Settings & Common> }
  /** Loads the contract and returns the validation errors of the settings by field. */
  check: (settings: Settings) => Promise<Record<string, string>>
  /** Completes settings as they were typed, such as with the scheme of a URL. */
  complete?: (settings: Settings) => Partial<Settings>
  /** Replacements for the secrets in the settings of an entry that is copied. */
  withoutSecrets?: (settings: Settings) => Partial<Settings>
  /** The initial settings of a new entry with this URL. */
  settingsForUrl?: (url: string) => Partial<Settings>
  Fields: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** A second column next to the fields of a saved entry, whose alerts and owner are then folded. */
  Beside?: ComponentType<{ draft: Draft<Settings & Common>; id: string }>
  /** Content that depends on the typed values, in a place where it moves no field. */
  Apart?: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** Rarely needed fields, folded below the form. */
  Rare?: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  Act?: ComponentType<{ tool: PageNames; entry: Entry }>
  hasRuns?(entry: Row | Entry): boolean
  run: string
  subject?: (entry: Entry) => string
  /** The title of an entry that has neither a name nor a description yet. */
  untitled?: (entry: Entry) => string
  Overview?: ComponentType<{ entry: Entry }>
  /** A log of events that replaces the chart and the runs. */
  Log?: ComponentType<{ entry: Entry }>
  /** Rows in the details of an entry. */
  Details?: ComponentType<{ entry: Entry }>
  /** Shown next to the form: what will happen once a new entry is saved. */
  NextSteps: ComponentType<{ draft: Draft<Settings & Common> }>
  Reach?: ComponentType<{ entry: Entry }>
  OnStatusPage?: ComponentType<{ entry: Pick<Detail, 'id' | 'owner'> }>
  /** The label of the share of successful runs. */
  rate: 'Uptime' | 'Success rate'
  /** Formats the count of a run, or its HTTP status; absent if runs have neither. */
  counted?: (count: number) => string
  /** The label for the counts of runs, if the chart shows them instead of durations. */
  plotted?: string
  afterDelete: 'reload' | 'blank'
}

/** How the menu and the home page present a tool. */
type Card = {
  Icon: LucideIcon
  hint: string
  blurb: string
}

export type EntryPages<C extends AnyEntryContract = AnyEntryContract> = Card & {
  /** Shown under "Coming up" on Home. */
  soon?: () => Promise<ComponentType>
  screens: () => Promise<ScreensOf<C>>
  /** By the paths that the tool was registered with. */
  ownScreens?: Readonly<Record<string, () => Promise<ComponentType>>>
}
export type ScreensOf<C extends AnyEntryContract> = EntryScreens<
  ListItemOf<C> & Item,
  EntryOf<C> & Detail,
  SettingsOf<C>
>
export type OnePage = Card & {
  /** On its card, for users who may use the tools. */
  counter: () => Promise<ComponentType>
  page: () => Promise<ComponentType>
  /** For all signed-in users, by the path below the tool's own. */
  own: Readonly<Record<string, () => Promise<ComponentType>>>
}
