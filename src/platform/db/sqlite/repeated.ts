import { CompiledQuery } from 'kysely'

export type Repeated = { isRepeated: true }
/** The number of the row that a run of a repeated statement added; 0 if it changed none. */
export type Added = number | bigint

/**
 * A statement that SQLite runs with one list of values after the other; it answers what each added. All are one message
 * to the thread that writes, as a message takes longer than a short statement.
 */
export const repeated = (text: string, lists: readonly (readonly unknown[])[]): CompiledQuery<Added> & Repeated => ({
  ...CompiledQuery.raw(text, [...lists]),
  isRepeated: true,
})
