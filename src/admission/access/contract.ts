import * as z from 'zod/mini'
import { idsOf, RefusedIds } from '../../shared/schemas/bulk.ts'
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
export const AskBody = z.strictObject({ message: z.optional(Message) })
export const AskAnswer = z.object({ at: z.int() })

/**
 * One's own latest request: when it was made, how it stands, and when the next may be made. `closed` was not decided as such: what it asked
 * for came or went another way. `nextAt` is null if one may ask now.
 */
export const OwnRequest = z.object({
  at: z.nullable(z.int()),
  state: z.enum(['none', 'open', 'approved', 'declined', 'closed']),
  nextAt: z.nullable(z.int()),
})
export type OwnRequest = z.infer<typeof OwnRequest>

/** Somebody who waits for an admin; `id` is the user's. A `sign-up` can't sign in before it is approved. */
export const AccessRequest = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  message: z.nullable(z.string()),
  at: z.int(),
  kind: z.enum(['request', 'sign-up']),
})
export type AccessRequest = z.infer<typeof AccessRequest>
/** All of them, or a page and how many there are on all pages. */
export const AccessRequests = z.union([
  z.array(AccessRequest),
  z.object({ rows: z.array(AccessRequest), total: z.int() }),
])
export type WaitingPage = { rows: AccessRequest[]; total: number }

export const decisions = ['approve', 'tools', 'decline'] as const
export type Decision = (typeof decisions)[number]

/** `approve` makes active, `tools` also gives Tools 1, `decline` only closes the request. */
export const DecideBody = z.strictObject({
  ids: idsOf('user', 'users'),
  decision: z.enum(decisions, { error: `Use one of ${decisions.join(', ')}.` }),
})
export type DecideBody = z.infer<typeof DecideBody>
/** `done` are in the order of `ids`. */
export const DecideAnswer = z.object({ done: z.array(z.string()), refused: RefusedIds })
export type DecideAnswer = z.infer<typeof DecideAnswer>

/** What this browser may know of the sign-up that it waits for. */
export const WaitingState = z.object({ state: z.enum(['pending', 'approved', 'none']) })
