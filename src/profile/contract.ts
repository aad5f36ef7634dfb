import * as z from 'zod/mini'
import { Email, PersonName } from '../people/contract.ts'
import { LinkToken } from '../shared/schemas/email.ts'
import { SessionUser } from '../shared/schemas/user-shapes.ts'

/** Omitted fields stay unchanged. */
export const OwnDetailsBody = z.strictObject({ name: z.optional(PersonName), email: z.optional(Email) })
export type OwnDetailsBody = z.infer<typeof OwnDetailsBody>

/** The newest confirmation link mailed; `sentAt` is null while it is queued, `note` is the reason for a delay. */
const ConfirmationLink = z.object({
  at: z.int(),
  sentAt: z.nullable(z.int()),
  expiresAt: z.int(),
  /** When the next link may be requested. */
  nextAt: z.int(),
  note: z.nullable(z.string()),
})
export const OwnEmail = z.object({ email: z.string(), verified: z.boolean(), link: z.nullable(ConfirmationLink) })
export type OwnEmail = z.infer<typeof OwnEmail>

export const ownDetailsCalls = {
  'PATCH /api/v1/user': { body: OwnDetailsBody, answer: SessionUser },
  'GET /api/v1/user/email': { answer: OwnEmail },
  'POST /api/v1/user/email/link': { answer: OwnEmail, status: 202 },
  'POST /api/v1/user/email/confirm': {
    body: z.strictObject({ token: LinkToken }),
    answer: z.object({ email: z.string() }),
  },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof ownDetailsCalls> {}
}
