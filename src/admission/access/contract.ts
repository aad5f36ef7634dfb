import * as z from 'zod/mini'
import { idsOf, RefusedIds } from '../../shared/schemas/bulk.ts'
import { PageQuery } from '../../shared/schemas/list-query.ts'
import { cleanText } from '../../shared/schemas/names.ts'

const longestMessage = 300

/** A line for the admins; an empty one is none. */
const Message = z.nullable(
  z.pipe(
    z
      .string({ error: 'Enter a message, or null for none.' })
      .check(z.trim(), z.maxLength(longestMessage, { error: `Use at most ${longestMessage} characters.` })),
    z.transform((text) => cleanText(text) || null),
  ),
)
const AskBody = z.nullish(z.strictObject({ message: z.optional(Message) }))

/**
 * One's own latest request: when it was made, how it stands, and when the next may be made. `closed` was not decided as such: what it asked
 * for came or went another way. `nextAt` is null if one may ask now.
 */
const OwnRequest = z.object({
  at: z.nullable(z.int()),
  state: z.enum(['none', 'open', 'approved', 'declined', 'closed']),
  nextAt: z.nullable(z.int()),
})
export type OwnRequest = z.infer<typeof OwnRequest>

/** Somebody who waits for an admin; `id` is the user's. A `sign-up` can't sign in before it is approved. */
const AccessRequest = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  message: z.nullable(z.string()),
  at: z.int(),
  kind: z.enum(['request', 'sign-up']),
})
export type AccessRequest = z.infer<typeof AccessRequest>
const WaitingPage = z.object({ rows: z.array(AccessRequest), total: z.int() })
export type WaitingPage = z.infer<typeof WaitingPage>

export const decisions = ['approve', 'tools', 'decline'] as const
export type Decision = (typeof decisions)[number]

/** `approve` makes active, `tools` also gives Tools 1, `decline` only closes the request. */
const DecideBody = z.strictObject({
  ids: idsOf('user', 'users'),
  decision: z.enum(decisions, { error: `Use one of ${decisions.join(', ')}.` }),
})
export type DecideBody = z.infer<typeof DecideBody>
/** `done` are in the order of `ids`. */
const DecideAnswer = z.object({ done: z.array(z.string()), refused: RefusedIds })
export type DecideAnswer = z.infer<typeof DecideAnswer>

/** What this browser may know of the sign-up that it waits for. */
const WaitingState = z.object({ state: z.enum(['pending', 'approved', 'none']) })

/** The calls by which users ask for access, and admins decide who gets it. */
export const accessCalls = {
  'GET /api/v1/user/access-request': { answer: OwnRequest },
  'POST /api/v1/user/access-request': { body: AskBody, answer: z.object({ at: z.int() }), status: 202 },
  'GET /api/v1/auth/access': { answer: WaitingState },
  /** All of them, or a page and how many there are on all pages. */
  'GET /api/v1/admin/access-requests': { query: PageQuery, answer: z.union([z.array(AccessRequest), WaitingPage]) },
  'POST /api/v1/admin/access-requests/decide': { body: DecideBody, answer: DecideAnswer },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof accessCalls> {}
}
