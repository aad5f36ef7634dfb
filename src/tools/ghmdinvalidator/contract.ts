import * as z from 'zod/mini'
import { entryContract } from '../../entries/contract.ts'
import { WebUrl } from '../../shared/web-url.ts'
import { ghmdinvalidatorTool } from './tool.ts'

export const ghmdinvalidator = entryContract({
  names: ghmdinvalidatorTool,
  settings: { url: WebUrl },
  defaults: {},
  /** A POST to this secret URL starts a run. */
  added: { hookUrl: z.string() },
})

export const HookAddress = z.object({ hookUrl: z.string() })

const Image = z.object({ camo: z.string(), origin: z.string() })

export const PreviewBody = z.strictObject({ url: WebUrl })
/** What a run would find: images to purge, images that the proxy doesn't serve, the kind of page, and where it has moved to. */
export const Preview = z.object({
  items: z.array(Image),
  ignored: z.array(z.string()),
  kind: z.string(),
  movedTo: z.nullable(z.string()),
})
export type Preview = z.infer<typeof Preview>

/** An image of a run: purged, fresh because it was purged minutes before, or failed with the reason. */
export const LastImage = z.object({
  origin: z.string(),
  outcome: z.enum(['purged', 'fresh', 'failed']),
  note: z.nullable(z.string()),
})
export type LastImage = z.infer<typeof LastImage>
/** What the last run that could read the page found; `at` is its start in epoch milliseconds, null before the first. */
export const LastImages = z.object({
  at: z.nullable(z.int()),
  movedTo: z.nullable(z.string()),
  images: z.array(LastImage),
})
export type LastImages = z.infer<typeof LastImages>

/** When the run starts, in epoch milliseconds; null if the entry is inactive. */
export const HookAnswer = z.object({ at: z.nullable(z.int()) })
