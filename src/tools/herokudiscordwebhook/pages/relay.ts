import type { EntryOf, SettingsOf } from '../../../entries/contract.ts'
import type { Common, Detail } from '../../../entries/pages/tool-pages.ts'
import type { herokudiscordwebhook } from '../contract.ts'

/** An entry as its page has it. */
export type Relay = EntryOf<typeof herokudiscordwebhook> & Detail
export type Settings = SettingsOf<typeof herokudiscordwebhook>
export type Values = Settings & Common
export type Filter = Settings['filter']
