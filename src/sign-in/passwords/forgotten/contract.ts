import * as z from 'zod/mini'
import { Email, NewPassword } from '../../../people/contract.ts'

export const ForgottenBody = z.strictObject({ email: Email })
/** The same for every address: nobody learns from it whether there is an account. */
export const ForgottenAnswer = z.object({ email: z.string() })

export const ResetBody = z.strictObject({
  token: z.string({ error: 'Open this page from its link.' }).check(z.maxLength(200, { error: 'This is too long.' })),
  password: NewPassword,
})
/** What to sign in with now. */
export const ResetAnswer = z.object({ username: z.string() })
