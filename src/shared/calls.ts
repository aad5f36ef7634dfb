import type * as z from 'zod/mini'

/** The schemas of an API call; `status` is its success status if it isn't 200. */
export type Call = {
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  answer: z.ZodMiniType
  status?: 201 | 202 | 204
}

/**
 * Every API call by method and path, for pages; contracts add theirs. `:name` in a path is filled in from the input,
 * and `:tool` is a tool's id. A call with query parameters in its path, such as `POST /api/v1/things/test?id`, has no
 * body.
 */
// biome-ignore lint/suspicious/noEmptyInterface: contracts extend it.
export interface Calls {}
/** Lets an interface extend a contract's calls: `interface Calls extends Table<typeof thingCalls> {}`. */
export type Table<Calls> = Calls
