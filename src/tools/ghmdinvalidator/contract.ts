import * as z from 'zod/mini'
import { EntryId, entryContract } from '../../entries/contract.ts'
import { WebUrl } from '../../shared/urls/web-url.ts'
import { ghmdinvalidatorNames } from './terms.ts'

/** `always` purges every image in each run, `stale` only images whose copy at GitHub differs from the original. */
const Mode = z.enum(['always', 'stale'], { error: 'Use always or stale.' })
export type Mode = z.infer<typeof Mode>

/** How GitHub's copy of an image compares with the original; `purged` and `still stale` are results after a purge. */
export const State = z.enum(['current', 'stale', 'purged', 'still stale', 'changing', 'failed'])
export type State = z.infer<typeof State>

/** An image and its state, with the cause in words; `camo` is its URL at GitHub's proxy, null if unknown. */
const Compared = z.object({
  camo: z.nullable(z.string()),
  origin: z.string(),
  state: State,
  cause: z.optional(z.string()),
})
export type Compared = z.infer<typeof Compared>

export const ghmdinvalidator = entryContract({
  names: ghmdinvalidatorNames,
  settings: { url: WebUrl, mode: Mode },
  defaults: { mode: 'always' },
  /** A POST to this secret URL starts a run. */
  added: { hookUrl: z.string() },
  detailed: { images: z.array(Compared) },
})

/** The comparison of a page's images, or of one image with `page` null; `movedTo` is the page's new URL, if any. */
export const Checked = z.object({
  images: z.array(Compared),
  page: z.nullable(z.object({ url: z.string(), kind: z.string(), movedTo: z.nullable(z.string()) })),
})
export type Checked = z.infer<typeof Checked>

const Image = z.object({ camo: z.string(), origin: z.string() })

/** A preview of a run: images to purge, images not served by the proxy, the kind of page, and its new URL if any. */
export const Preview = z.object({
  items: z.array(Image),
  ignored: z.array(z.string()),
  kind: z.string(),
  movedTo: z.nullable(z.string()),
})
export type Preview = z.infer<typeof Preview>

/** `length`: bytes. `picture`: the hash for requests, null if not displayed. `modifiedAt`: Last-Modified, epoch ms. */
export const ImageCopy = z.object({
  type: z.string(),
  length: z.int(),
  picture: z.nullable(z.string()),
  modifiedAt: z.optional(z.int()),
})
export type ImageCopy = z.infer<typeof ImageCopy>
export const Outcome = z.enum(['purged', 'fresh', 'kept', 'failed'])

/** `fresh`: purged minutes before. `kept`: not stale. `note`: why it failed. `source`: the original copy. */
export const LastImage = z.object({
  origin: z.string(),
  outcome: Outcome,
  note: z.nullable(z.string()),
  compared: z.optional(
    z.object({
      state: State,
      cause: z.nullable(z.string()),
      github: z.nullable(ImageCopy),
      source: z.nullable(ImageCopy),
    }),
  ),
})
export type LastImage = z.infer<typeof LastImage>

/** The findings of the last run that could read the page; `at` is its start in epoch ms, null before the first. */
export const LastImages = z.object({
  at: z.nullable(z.int()),
  movedTo: z.nullable(z.string()),
  images: z.array(LastImage),
})
export type LastImages = z.infer<typeof LastImages>

/** When the run starts, in epoch milliseconds; null if the entry or its owner is inactive. */
export const HookAnswer = z.object({ at: z.nullable(z.int()) })

export const ghmdinvalidatorCalls = {
  'POST /api/v1/ghmdinvalidator/preview': { body: z.strictObject({ url: WebUrl }), answer: Preview },
  'POST /api/v1/ghmdinvalidator/check': { body: z.strictObject({ url: WebUrl }), answer: Checked },
  'GET /api/v1/ghmdinvalidator/images': { query: EntryId, answer: LastImages },
  'GET /api/v1/ghmdinvalidator/copy': {
    query: z.extend(EntryId, { picture: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
    answer: z.unknown(),
  },
  'POST /api/v1/ghmdinvalidator/hook?id': { query: EntryId, answer: z.object({ hookUrl: z.string() }) },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof ghmdinvalidatorCalls> {}
}
