import * as z from 'zod/mini'
import { Email, NewPassword } from '../../../people/contract.ts'

export const ForgottenBody = z.strictObject({ email: Email })
export const ResetBody = z.strictObject({
  token: z.string({ error: 'Open this page from its link.' }).check(z.maxLength(200, { error: 'This is too long.' })),
  password: NewPassword,
})

/** The calls for users who have forgotten their password. */
export const forgottenCalls = {
  /** Answers the same for every address: nobody learns from it whether there is an account. */
  'POST /api/v1/auth/forgotten': { body: ForgottenBody, answer: z.object({ email: z.string() }), status: 202 },
  /** Answers what to sign in with now. */
  'POST /api/v1/auth/reset': { body: ResetBody, answer: z.object({ username: z.string() }) },
} as const
type ForgottenCalls = typeof forgottenCalls

declare module '../../../shared/calls.ts' {
  interface Calls extends ForgottenCalls {}
}
