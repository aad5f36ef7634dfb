import * as z from 'zod/mini'

/** How many one call may name. */
export const mostIds = 1_000

/** How many entries one search answers. */
export const mostFound = 20

/** The ids of a call on many of these, such as `entry`. */
export const idsOf = (noun: string, plural: string) =>
  z
    .array(
      z
        .string()
        .check(
          z.minLength(1, { error: 'Enter an ID.' }),
          z.regex(/^\P{Cc}*$/u, { error: "An ID can't contain control characters." }),
        ),
    )
    .check(
      z.minLength(1, { error: `Name at least one ${noun}.` }),
      z.maxLength(mostIds, { error: `Name at most 1,000 ${plural}.` }),
    )

/** Which were refused, and why: the sentence that the call for a single one answers. */
export const RefusedIds = z.array(z.object({ id: z.string(), why: z.string() }))
