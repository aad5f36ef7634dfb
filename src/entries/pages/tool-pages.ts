import type { LucideIcon } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Answer } from '../../ui/data/call.ts'
import type { Draft } from '../../ui/form/draft.ts'
import type { Fields } from '../../ui/form/fields.ts'
import type { Column } from '../../ui/table/column.ts'
import type { AnyEntryContract, EntryOf, ListItemOf, SettingsOf } from '../contract.ts'
import type { EntryNames } from '../define-tool.ts'

/** What every entry shows, whatever its tool. */
export type Item = Answer<'GET /api/v1/:tool/recent'>['rows'][number]
/** An entry as its page shows it; `warning` comes with the answer to a save. */
export type Detail = Answer<'GET /api/v1/:tool'> & { warning?: string | undefined }
/** The fields that the forms of all tools have. */
export type Common = { name: string; status: boolean; notifyAfter: number; owner: string }

/** What the shared pages know of a tool's contract. */
export type PageNames = Omit<EntryNames, 'kind'>

type AnySettings = Record<string, unknown>
/** The values of any tool's form. */
export type Values = AnySettings & Common

/** What the four shared pages need to know about a tool. */
export type EntryScreens<
  Row extends Item = Item,
  Entry extends Detail = Detail,
  Settings extends object = AnySettings,
> = {
  contract: PageNames
  /** What stands next to the title of the list. */
  listNote?: ReactNode
  /** What stands below the list, which it would move above. */
  listFoot?: ReactNode
  /** What the switch for active entries means. */
  statusHint: string
  About: ComponentType
  columns: readonly Column<Row>[]
  fields: Fields<Settings>
  /** What an empty list offers to fill a new entry in with, in words and as values of its form. */
  example: { text: ReactNode; values: Partial<Settings & Common> }
  /** Why the contract would refuse the settings, by field; fetches the contract. */
  check: (settings: Settings) => Promise<Record<string, string>>
  /** What is added to settings as they were typed, such as the scheme of a URL. */
  complete?: (settings: Settings) => Partial<Settings>
  /** What replaces the secrets among the settings of an entry that is copied. */
  withoutSecrets?: (settings: Settings) => Partial<Settings>
  /** What a new entry with this URL begins with. */
  suiting?: (url: string) => Partial<Settings>
  /** `id` is set once the entry is saved. */
  Fields: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** What stands in a column beside those of a saved entry; its alerts and owner are folded then. */
  Beside?: ComponentType<{ draft: Draft<Settings & Common>; id: string }>
  /** What depends on what is typed, where it moves no field. */
  Apart?: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** What few entries need, folded below the form. */
  Rare?: ComponentType<{ draft: Draft<Settings & Common>; id?: string | undefined }>
  /** What is done with an entry at once, if not Run now. */
  Act?: ComponentType<{ tool: PageNames; entry: Detail }>
  /** Whether an entry has runs; absent if every entry has. */
  hasRuns?(entry: Row | Entry): boolean
  /** What one of its runs is called. */
  run: string
  /** The URL that an entry is about. */
  subject?: (entry: Entry) => string
  /** What an entry is called that is about nothing yet. */
  untitled?: (entry: Entry) => string
  /** What only this tool shows of an entry, above its chart and runs, or in place of them if it has none. */
  Overview?: ComponentType<{ entry: Entry }>
  /** In place of the chart and the runs: what came of each event. */
  Log?: ComponentType<{ entry: Entry }>
  /** What only this tool has to say in the details of an entry, as rows. */
  Details?: ComponentType<{ entry: Entry }>
  /** What will happen once a new entry is saved; stands next to its form. */
  Ahead: ComponentType<{ draft: Draft<Settings & Common> }>
  /** How others reach this entry. */
  Reach?: ComponentType<{ entry: Entry }>
  /** Whether it is on its owner's status page. */
  OnStatusPage?: ComponentType<{ entry: Pick<Detail, 'id' | 'owner'> }>
  /** What the share of successful runs is called. */
  rate: 'Uptime' | 'Success rate'
  /** What a run counted, or its HTTP status, in words; absent where runs have neither. */
  counted?: (count: number) => string
  /** The name of what runs count, if the chart shows that instead of how long they took. */
  plotted?: string
  afterDelete: 'reload' | 'blank'
}

/** What the menu and the home page show of a tool. */
type Card = {
  Icon: LucideIcon
  /** Its line in the menu. */
  hint: string
  /** Its text on the home page. */
  blurb: string
}

export type EntryPages<C extends AnyEntryContract = AnyEntryContract> = Card & {
  /** Its lines of what is coming up, on Home. */
  soon?: () => Promise<ComponentType>
  screens: () => Promise<ScreensOf<C>>
  /** Its screens other than those four, by their paths: those that the tool was registered with. */
  ownScreens?: Readonly<Record<string, () => Promise<ComponentType>>>
}
export type ScreensOf<C extends AnyEntryContract> = EntryScreens<
  ListItemOf<C> & Item,
  EntryOf<C> & Detail,
  SettingsOf<C>
>
export type OnePage = Card & {
  /** The figure on its card, for those who may use the tools. */
  counter: () => Promise<ComponentType>
  page: () => Promise<ComponentType>
  /** Its pages for all signed-in users, by the path below its own. */
  own: Readonly<Record<string, () => Promise<ComponentType>>>
}
