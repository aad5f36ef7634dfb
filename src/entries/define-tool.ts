/** The one object that registers a tool. It is apart from the contract because the first screen needs no schemas. */
type Registered = {
  /** Also the folder of the tool, and the path of its pages and calls. */
  id: string
  /** As in menus and titles. */
  label: string
  /** Loads the file that exports `server`. `satisfies string` hides it from TypeScript, which checks each half by itself. */
  server: () => Promise<unknown>
  /** Loads the file that exports `pages`, with no more than the first screen needs. */
  pages: () => Promise<unknown>
}

type Titles = Readonly<Record<string, string>>

/** A tool with entries. `screens` are the titles of screens that only it has, by their paths; `noun` is as in the delete dialog: "Are you sure you want to delete this {noun}?" */
export const toolWithEntries = <const T extends Registered & { noun: string; screens?: Titles }>(tool: T) => ({
  kind: 'entries' as const,
  ...tool,
  path: `/api/v1/${tool.id}` as const,
})

/** A tool that is one page; `own` are the titles of the pages below it that are about whoever is signed in, by their paths. */
export const toolOfOnePage = <const T extends Registered & { own: Titles }>(tool: T) => ({
  kind: 'page' as const,
  ...tool,
})

/** The titles of the screens that only this tool has, by their paths. */
export const ownTitles = (tool: { id: string; own?: Titles; screens?: Titles }): Titles =>
  tool.own ?? tool.screens ?? {}

export type EntryNames<Id extends string = string> = {
  kind: 'entries'
  id: Id
  label: string
  noun: string
  /** The path of its calls. */
  path: `/api/v1/${Id}`
}
