import * as z from 'zod/mini'

export const mostIds = 1_000

export const mostFound = 20

/** The ids in a bulk call; messages use the nouns, such as `entry` and `entries`. */
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

/** The refused ids, each with the error message that the call for a single id would return. */
export const RefusedIds = z.array(z.object({ id: z.string(), why: z.string() }))
