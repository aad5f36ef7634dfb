type Titles = Readonly<Record<string, string>>

type Names = {
  /** Also the name of the tool's folder, and the path of its pages and API. */
  id: string
  label: string
}

type EntryWords = {
  noun: string
  /** The state shown for an entry whose last run succeeded. */
  works: string
  today: string
  /** Keyboard shortcut: this letter, typed after a g, opens its list. */
  letter?: string
}

/** `screens` are titles of its own screens, by path. `noun` fits "Are you sure you want to delete this {noun}?" */
export const entryToolNames = <const T extends Names & EntryWords & { screens?: Titles }>(names: T) => ({
  kind: 'entries' as const,
  ...names,
  path: `/api/v1/${names.id}` as const,
})

/** The names of a single-page tool. `own` are the titles of a signed-in user's own pages below it, by path. */
export const pageToolNames = <const T extends Names & { own: Titles }>(names: T) => ({
  kind: 'page' as const,
  ...names,
})

/** The halves of a tool. `satisfies string` hides a path from TypeScript, which checks each half separately. */
type Halves = {
  server: () => Promise<unknown>
  /** Loads the file that exports `pages`, which contains only what the first screen needs. */
  pages: () => Promise<unknown>
}

/** Registers a tool. It is separate from the contract because the first screen needs no schemas. */
export const defineTool = <const T extends Names, H extends Halves>(names: T, halves: H) => ({ ...names, ...halves })

export const ownTitles = (tool: { id: string; own?: Titles; screens?: Titles }): Titles =>
  tool.own ?? tool.screens ?? {}

export type EntryNames<Id extends string = string> = EntryWords & {
  kind: 'entries'
  id: Id
  label: string
  path: `/api/v1/${Id}`
}
