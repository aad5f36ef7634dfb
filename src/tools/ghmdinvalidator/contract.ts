import * as z from 'zod/mini'
import { entryContract } from '../../entries/contract.ts'
import { WebUrl } from '../../shared/web-url.ts'
import { ghmdinvalidatorTool } from './tool.ts'

export const ghmdinvalidator = entryContract({
  names: ghmdinvalidatorTool,
  settings: { url: WebUrl },
  defaults: {},
  /** A POST to this secret address purges at once. */
  added: { hookUrl: z.string() },
})

/** Where a POST starts a run of the entry, from now on. */
export const HookAddress = z.object({ hookUrl: z.string() })

const Image = z.object({ camo: z.string(), origin: z.string() })

export const PreviewBody = z.strictObject({ url: WebUrl })
/** What a run would find: the images to purge, those that no proxy serves, what kind of page it is, and where it has moved to. */
export const Preview = z.object({
  items: z.array(Image),
  ignored: z.array(z.string()),
  kind: z.string(),
  movedTo: z.nullable(z.string()),
})
export type Preview = z.infer<typeof Preview>

/** An image that a run met: purged by it, fresh since somebody purged it minutes before, or failed with the reason. */
export const LastImage = z.object({
  origin: z.string(),
  outcome: z.enum(['purged', 'fresh', 'failed']),
  note: z.nullable(z.string()),
})
export type LastImage = z.infer<typeof LastImage>
/** What the last run that could read the page found there; `at` is its start in epoch milliseconds, null before the first. */
export const LastImages = z.object({
  at: z.nullable(z.int()),
  movedTo: z.nullable(z.string()),
  images: z.array(LastImage),
})
export type LastImages = z.infer<typeof LastImages>

/** When the run that was asked for starts, in epoch milliseconds; null when the entry does not run. */
export const HookAnswer = z.object({ at: z.nullable(z.int()) })
