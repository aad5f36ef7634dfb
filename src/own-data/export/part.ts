import type * as z from 'zod/mini'
import type { Caller } from '../../platform/http/caller.ts'

/** Who asks for their data, and whether secrets stand in it in full. */
export type Reader = { caller: Caller; withSecrets: boolean }

/** A member of the file of one's own data: one value, or a list that is read page by page. */
export type Part = {
  name: string
  Shape: z.ZodMiniType
  /** Left out for API keys, which may not read it elsewhere either. */
  forSessions?: true
} & ({ value(reader: Reader): Promise<unknown> } | { pages(reader: Reader): AsyncIterable<readonly unknown[]> })
