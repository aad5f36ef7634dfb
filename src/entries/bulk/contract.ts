import * as z from 'zod/mini'

/** How many entries one call may name. */
export const mostIds = 1_000

export const acts = ['activate', 'pause', 'run', 'delete', 'give'] as const
export type Act = (typeof acts)[number]

/** `owner` is whom they are given to, by email. */
export const BulkBody = z.strictObject({
  ids: z
    .array(
      z
        .string()
        .check(
          z.minLength(1, { error: 'Enter an ID.' }),
          z.regex(/^\P{Cc}*$/u, { error: "An ID can't contain control characters." }),
        ),
    )
    .check(
      z.minLength(1, { error: 'Name at least one entry.' }),
      z.maxLength(mostIds, { error: 'Name at most 1,000 entries.' }),
    ),
  act: z.enum(acts, { error: `Use one of ${acts.join(', ')}.` }),
  owner: z.optional(z.string().check(z.trim(), z.toLowerCase(), z.email({ error: "Enter the new owner's email." }))),
})
export type BulkBody = z.infer<typeof BulkBody>

/** `done` are in the order of `ids`, `unchanged` those of them that were so already, if there are any; `why` is the sentence that the call for a single entry answers. */
export const BulkAnswer = z.object({
  done: z.array(z.string()),
  unchanged: z.optional(z.array(z.string())),
  refused: z.array(z.object({ id: z.string(), why: z.string() })),
})
export type BulkAnswer = z.infer<typeof BulkAnswer>
