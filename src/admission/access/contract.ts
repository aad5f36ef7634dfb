import * as z from 'zod/mini'
import { idsOf, RefusedIds } from '../../shared/schemas/bulk.ts'
import { PageQuery } from '../../shared/schemas/list-query.ts'
import { cleanText } from '../../shared/schemas/names.ts'

const longestMessage = 300

/** A one-line message for the admins; an empty one becomes null. */
const Message = z.nullable(
  z.pipe(
    z
      .string({ error: 'Enter a message, or null for none.' })
      .check(z.trim(), z.maxLength(longestMessage, { error: `Use at most ${longestMessage} characters.` })),
    z.transform((text) => cleanText(text) || null),
  ),
)
const AskBody = z.nullish(z.strictObject({ message: z.optional(Message) }))

/** `closed`: an edit of the user settled the request without a decision. `nextAt` is null if one is allowed now. */
const OwnRequest = z.object({
  at: z.nullable(z.int()),
  state: z.enum(['none', 'open', 'approved', 'declined', 'closed']),
  nextAt: z.nullable(z.int()),
})
export type OwnRequest = z.infer<typeof OwnRequest>

/** A user waiting for an admin; `id` is the user's. With kind `sign-up`, the user can't sign in before approval. */
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

/** `approve` activates the user, `tools` also grants Tools 1, `decline` only closes the request. */
const DecideBody = z.strictObject({
  ids: idsOf('user', 'users'),
  decision: z.enum(decisions, { error: `Use one of ${decisions.join(', ')}.` }),
})
/** `done` follows the order of `ids`. */
const DecideAnswer = z.object({ done: z.array(z.string()), refused: RefusedIds })

/** The state of the sign-up made in this browser. */
const WaitingState = z.object({ state: z.enum(['pending', 'approved', 'none']) })

export const accessCalls = {
  'GET /api/v1/user/access-request': { answer: OwnRequest },
  'POST /api/v1/user/access-request': { body: AskBody, answer: z.object({ at: z.int() }), status: 202 },
  'GET /api/v1/auth/access': { answer: WaitingState },
  /** All requests, or one page and the total number. */
  'GET /api/v1/admin/access-requests': { query: PageQuery, answer: z.union([z.array(AccessRequest), WaitingPage]) },
  'POST /api/v1/admin/access-requests/decide': { body: DecideBody, answer: DecideAnswer },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof accessCalls> {}
}
