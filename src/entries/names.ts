/** What menus, titles and calls know a tool with entries by: apart from its contract, for the first screen needs no schemas. */
export const entryNames = <const Id extends string>(names: {
  id: Id
  /** As in menus and titles. */
  label: string
  /** As in the delete dialog: "Are you sure you want to delete this {noun}?" */
  noun: string
}) => ({ kind: 'entries' as const, ...names, path: `/api/v1/${names.id}` as const })

export type EntryNames<Id extends string = string> = ReturnType<typeof entryNames<Id>>
