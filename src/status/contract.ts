import * as z from 'zod/mini'
import { IfUpdatedAt } from '../shared/schemas/edits.ts'
import { OptionalName, requiredText, withoutControls } from '../shared/schemas/names.ts'

export const longest = { title: 80, text: 2_000 } as const
export const maxEntries = 1_000

/** Slugs that later routes below /status may need, or that would look official. */
const reserved = [
  'account',
  'admin',
  'api',
  'assets',
  'auth',
  'create',
  'edit',
  'embed',
  'feed',
  'help',
  'hooks',
  'incidents',
  'index',
  'list',
  'login',
  'modify',
  'new',
  'null',
  'page',
  'password',
  'security',
  'signin',
  'signup',
  'status',
  'support',
  'system',
  'toolbox',
  'tools',
  'undefined',
  'user',
  'users',
]

const wrongSlug = { error: 'Use 3 to 40 lowercase letters, digits and hyphens.' }
export const slugPattern = /^[a-z0-9-]{3,40}$/
const Slug = z.string(wrongSlug).check(z.regex(slugPattern, wrongSlug))

/** Whether a slug is reserved, or looks like a reserved one: `login2`, `sign-in-`, `l0gin`. */
export function isReserved(slug: string): boolean {
  const read = (text: string) => text.replaceAll('-', '').replaceAll('0', 'o').replaceAll(/[1i]/g, 'l')
  const spelled = [slug, slug.replace(/[\d-]+$/, '')].map(read)
  return reserved.some((word) => spelled.includes(read(word)))
}
const Title = requiredText('Enter a title.', longest.title).check(withoutControls)
const tooLong = { error: 'Use at most 2,000 characters.' }
const Text = z.string({ error: 'Enter a text, or leave it empty.' }).check(
  z.trim(),
  z.maxLength(longest.text, tooLong),
  // Of control characters, allows only line breaks and tabs.
  z.regex(/^(?:[^\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\n\r\t])*$/u, {
    error: "The text can't contain control characters or text direction marks.",
  }),
)

const PageEntryBody = z.strictObject({
  tool: z.string({ error: "Enter the entry's tool." }),
  id: z.string({ error: "Enter the entry's ID." }),
  showUrl: z._default(z.boolean({ error: 'Use true or false.' }), false),
  name: z._default(OptionalName, null),
  entryName: z.optional(z.unknown()),
  about: z.optional(z.unknown()),
})

/** The body of a PUT, which may be a page as it was read. `ifUpdatedAt` is 0 if there was no page. */
export const StatusPageBody = z.strictObject({
  ifUpdatedAt: IfUpdatedAt,
  slug: Slug,
  title: Title,
  text: z._default(Text, ''),
  entries: z
    .array(PageEntryBody, { error: 'Enter a list of entries.' })
    .check(z.maxLength(maxEntries, { error: 'Choose at most 1,000 entries.' })),
  url: z.optional(z.unknown()),
  updatedAt: z.optional(z.unknown()),
})
export type StatusPageBody = z.infer<typeof StatusPageBody>

/** A page that isn't saved, so it needs no slug. */
const StatusPreviewBody = z.pick(StatusPageBody, { title: true, text: true, entries: true })

/** `name` is the entry's public name; `entryName` and `about` are what its owner sees. */
export const PageEntry = z.object({
  tool: z.string(),
  id: z.string(),
  showUrl: z.boolean(),
  name: z.nullable(z.string()),
  entryName: z.nullable(z.string()),
  about: z.string(),
})
export type PageEntry = z.infer<typeof PageEntry>

/** `slug` and `url` are null while there is no page. */
export const StatusPage = z.object({
  slug: z.nullable(z.string()),
  title: z.string(),
  text: z.string(),
  entries: z.array(PageEntry),
  url: z.nullable(z.string()),
  updatedAt: z.nullable(z.int()),
})
export type StatusPage = z.infer<typeof StatusPage>

export const statusCalls = {
  'GET /api/v1/user/status': { answer: StatusPage },
  'PUT /api/v1/user/status': { body: StatusPageBody, answer: StatusPage },
  /** `html` is what visitors would see below the header, `style` its style sheet. */
  'POST /api/v1/user/status/preview': {
    body: StatusPreviewBody,
    answer: z.object({ html: z.string(), style: z.string() }),
  },
  'DELETE /api/v1/user/status': { answer: z.object({ slug: z.null() }) },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof statusCalls> {}
}
