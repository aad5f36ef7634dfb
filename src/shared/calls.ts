import type * as z from 'zod/mini'

/** `status` is the success status if it isn't 200. */
export type Call = {
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  answer: z.ZodMiniType
  status?: 201 | 202 | 204
}

/** Contracts add theirs. The input fills in `:name`; `:tool` is a tool's id. A path with a query has no body. */
// biome-ignore lint/suspicious/noEmptyInterface: contracts extend it.
export interface Calls {}
/** Lets an interface extend a contract's calls: `interface Calls extends Table<typeof thingCalls> {}`. */
export type Table<Calls> = Calls
