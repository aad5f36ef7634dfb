import * as z from 'zod/mini'
import { Mine } from '../contract.ts'

/** How many entries one search answers. */
export const mostFound = 20
const longestText = 200

export const SearchQuery = z.object({
  text: z
    .string()
    .check(z.trim(), z.maxLength(longestText, { error: `Search for at most ${longestText} characters.` })),
  mine: Mine,
})

export const Found = z.object({
  id: z.string(),
  tool: z.string(),
  name: z.nullable(z.string()),
  about: z.string(),
  status: z.boolean(),
})
export type Found = z.infer<typeof Found>

export const SearchAnswer = z.object({ rows: z.array(Found) })
