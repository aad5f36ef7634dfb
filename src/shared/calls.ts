import type * as z from 'zod/mini'

/** What a call takes and answers; `status` is that of its answer if it isn't 200. */
export type Call = {
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  answer: z.ZodMiniType
  status?: 201 | 202 | 204
}

/**
 * Every call by its method and path, for pages. Contracts add theirs. `:name` in a path is taken from the input, and
 * `:tool` is the id of a tool; a call whose path names a query, such as `POST /api/v1/things/test?id`, has no body.
 */
// biome-ignore lint/suspicious/noEmptyInterface: contracts extend it.
export interface Calls {}
/** The calls of a contract, as an interface can extend them: `interface Calls extends Table<typeof thingCalls> {}`. */
export type Table<Calls> = Calls
