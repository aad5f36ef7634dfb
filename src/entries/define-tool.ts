type Titles = Readonly<Record<string, string>>

type Names = {
  /** Also the folder of the tool, and the path of its pages and calls. */
  id: string
  /** As in menus and titles. */
  label: string
}

type EntryWords = {
  noun: string
  /** How an entry is doing whose last run succeeded. */
  works: string
  /** What its runs of today are called. */
  today: string
  /** The letter that opens its list after a g. */
  letter?: string
}

/**
 * What a tool with entries is called. `screens` are the titles of screens that only it has, by their paths; `noun` is as
 * in the delete dialog: "Are you sure you want to delete this {noun}?"
 */
export const entryToolNames = <const T extends Names & EntryWords & { screens?: Titles }>(names: T) => ({
  kind: 'entries' as const,
  ...names,
  path: `/api/v1/${names.id}` as const,
})

/** What a tool that is one page is called; `own` are the titles of a signed-in user's own pages below it, by their paths. */
export const pageToolNames = <const T extends Names & { own: Titles }>(names: T) => ({
  kind: 'page' as const,
  ...names,
})

/** The two halves of a tool. `satisfies string` hides a path from TypeScript, which checks each half by itself. */
type Halves = {
  /** Loads the file that exports `server`. */
  server: () => Promise<unknown>
  /** Loads the file that exports `pages`, with no more than the first screen needs. */
  pages: () => Promise<unknown>
}

/** The one object that registers a tool. It is apart from the contract because the first screen needs no schemas. */
export const defineTool = <const T extends Names, H extends Halves>(names: T, halves: H) => ({ ...names, ...halves })

/** The titles of the screens that only this tool has, by their paths. */
export const ownTitles = (tool: { id: string; own?: Titles; screens?: Titles }): Titles =>
  tool.own ?? tool.screens ?? {}

export type EntryNames<Id extends string = string> = EntryWords & {
  kind: 'entries'
  id: Id
  label: string
  path: `/api/v1/${Id}`
}
