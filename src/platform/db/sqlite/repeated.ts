import { CompiledQuery } from 'kysely'

export type Repeated = { isRepeated: true }
/** How many rows a run of a repeated statement changed. */
export type Changed = { changes: number | bigint }

/**
 * A statement that SQLite runs with one list of values after the other; it answers what each changed. All are one message
 * to the thread that writes, as a message takes longer than a short statement.
 */
export const repeated = (text: string, lists: readonly (readonly unknown[])[]): CompiledQuery<Changed> & Repeated => ({
  ...CompiledQuery.raw(text, [...lists]),
  isRepeated: true,
})
