import * as z from 'zod/mini'
import { idsOf, RefusedIds } from '../../shared/schemas/bulk.ts'

const acts = ['activate', 'pause', 'run', 'delete', 'give'] as const
export type Act = (typeof acts)[number]

/** `owner` is whom they are given to, by email. */
export const BulkBody = z.strictObject({
  ids: idsOf('entry', 'entries'),
  act: z.enum(acts, { error: `Use one of ${acts.join(', ')}.` }),
  owner: z.optional(z.string().check(z.trim(), z.toLowerCase(), z.email({ error: "Enter the new owner's email." }))),
})
export type BulkBody = z.infer<typeof BulkBody>

/** `done` are in the order of `ids`, `unchanged` those of them that were so already, if there are any. */
export const BulkAnswer = z.object({
  done: z.array(z.string()),
  unchanged: z.optional(z.array(z.string())),
  refused: RefusedIds,
})
export type BulkAnswer = z.infer<typeof BulkAnswer>
