type Titles = Readonly<Record<string, string>>

type Names = {
  /** Also the name of the tool's folder, and the path of its pages and API. */
  id: string
  /** Shown in menus and titles. */
  label: string
}

type EntryWords = {
  noun: string
  /** The state shown for an entry whose last run succeeded. */
  works: string
  /** The label for today's runs. */
  today: string
  /** Keyboard shortcut: this letter, typed after a g, opens its list. */
  letter?: string
}

/**
 * The names of a tool with entries. `screens` are the titles of screens that only this tool has, by path. `noun` is
 * used as in the delete dialog: "Are you sure you want to delete this {noun}?"
 */
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
  /** Loads the file that exports `server`. */
  server: () => Promise<unknown>
  /** Loads the file that exports `pages`, which contains only what the first screen needs. */
  pages: () => Promise<unknown>
}

/** Registers a tool. It is separate from the contract because the first screen needs no schemas. */
export const defineTool = <const T extends Names, H extends Halves>(names: T, halves: H) => ({ ...names, ...halves })

/** The titles of the screens that only this tool has, by path. */
export const ownTitles = (tool: { id: string; own?: Titles; screens?: Titles }): Titles =>
  tool.own ?? tool.screens ?? {}

export type EntryNames<Id extends string = string> = EntryWords & {
  kind: 'entries'
  id: Id
  label: string
  path: `/api/v1/${Id}`
}
