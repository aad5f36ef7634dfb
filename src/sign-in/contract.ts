import * as z from 'zod/mini'
import { ApiKey, Email, NewPassword, PersonName, scopes, Username } from '../people/contract.ts'
import { LinkToken } from '../shared/schemas/email.ts'
import { requiredText, withoutControls, withVisible } from '../shared/schemas/names.ts'
import { SessionUser } from '../shared/schemas/user-shapes.ts'

const tooLong = { error: 'This is too long.' }
/** A current password: the rules for new passwords don't apply. */
const Password = z
  .string({ error: 'Enter your password.' })
  .check(z.minLength(1, { error: 'Enter your password.' }), z.maxLength(1_000, tooLong))

/** Accepts any username: an impossible one gets the same response as an unknown one. */
const SignInBody = z.object({
  username: requiredText('Enter your username.', 254, tooLong.error),
  password: Password,
})

/** Where to redirect after signing in: a path on this site, or its full URL. */
const CallbackUrl = z._default(
  z
    .string()
    .check(
      z.maxLength(2_048, tooLong),
      z.regex(/^(?:\/(?![/\\])|https?:\/\/)/i, { error: 'Enter a path on this site, such as /user.' }),
    ),
  '/',
)
const SocialBody = z.object({
  provider: z.string({ error: 'Enter a provider ID.' }),
  callbackURL: CallbackUrl,
})
/** With `prove`, signing in to an already linked account confirms the user's identity. */
const LinkBody = z.extend(SocialBody, { prove: z.optional(z.boolean()) })
export type LinkBody = z.infer<typeof LinkBody>
export const SocialAnswer = z.object({ url: z.string() })

export const SessionState = z.object({ user: z.nullable(SessionUser) })
/** The signed-in user, or the second step that is still needed: an authenticator code or a passkey. */
const SignInAnswer = z.union([
  SessionState,
  z.object({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.enum(['totp', 'passkey'])) }),
])
export type SessionState = z.infer<typeof SessionState>

export const SetupBody = z.strictObject({
  token: LinkToken,
  email: Email,
  username: Username,
  password: NewPassword,
  name: z.optional(PersonName),
})
export type SetupBody = z.infer<typeof SetupBody>
const SetupAnswer = z.object({ id: z.string(), email: z.string(), username: z.string() })

/** The user's password, or else an authenticator code or a recovery code. */
const ProofBody = z
  .strictObject({
    password: z.optional(Password),
    code: z.optional(requiredText('Enter the code.', 40, tooLong.error)),
  })
  .check(
    z.refine(({ password, code }) => (password === undefined) !== (code === undefined), {
      error: 'Enter either your password or a code.',
      path: ['password'],
    }),
  )

export const ForgottenBody = z.strictObject({ email: Email })
export const ResetBody = z.strictObject({ token: LinkToken, password: NewPassword })

export const signInCalls = {
  'GET /api/v1/auth/providers': { answer: z.array(z.object({ id: z.string(), name: z.string() })) },
  'GET /api/v1/auth/session': { answer: SessionState },
  'POST /api/v1/auth/setup': { body: SetupBody, answer: SetupAnswer, status: 201 },
  'POST /api/v1/auth/proof': { body: ProofBody, answer: z.null(), status: 204 },
  /** The response is the same for every address, so that it doesn't reveal whether an account exists. */
  'POST /api/v1/auth/forgotten': { body: ForgottenBody, answer: z.object({ email: z.string() }), status: 202 },
  'POST /api/v1/auth/reset': { body: ResetBody, answer: z.object({ username: z.string() }) },
  'POST /api/auth/sign-in/username': { body: SignInBody, answer: SignInAnswer },
  'POST /api/auth/sign-in/social': { body: SocialBody, answer: SocialAnswer },
  'POST /api/auth/link-social': { body: LinkBody, answer: SocialAnswer },
  'POST /api/auth/sign-out': { answer: z.object({ user: z.null() }) },
} as const

/** Instants are epoch milliseconds. A session in use is renewed once a day; its last use is accurate to a minute. */
export const OwnSession = z.object({
  id: z.string(),
  createdAt: z.int(),
  renewedAt: z.int(),
  lastUsedAt: z.int(),
  expiresAt: z.int(),
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  current: z.boolean(),
})
export type OwnSession = z.infer<typeof OwnSession>
export const NewKeyBody = z.strictObject({
  name: requiredText('Enter a name for the key.', 60).check(withVisible, withoutControls),
  scopes: z.array(z.enum(scopes, { error: 'Use read or write.' })).check(
    z.minLength(1, { error: 'Choose at least one scope.' }),
    z.refine((chosen) => new Set(chosen).size === chosen.length, { error: 'Use each scope only once.' }),
  ),
  expiresAt: z.nullable(z.int({ error: 'Use a time in milliseconds, or null for never.' })),
})

const Ended = z.object({ ended: z.int() })
const Id = z.object({ id: z.string() })
const Method = z.object({ providerId: z.string(), accountId: z.string() })

export const ownCalls = {
  /** When the password was set on the user's behalf, in epoch milliseconds; null if the user chose it or has none. */
  'GET /api/v1/user/password': { answer: z.object({ givenAt: z.nullable(z.int()) }) },
  /** Returns how many other sessions the new password ended. */
  'PATCH /api/v1/user/password': { body: z.strictObject({ current: Password, password: NewPassword }), answer: Ended },
  'GET /api/v1/user/sessions': { answer: z.array(OwnSession) },
  /** Ends one session by its id, or all but the current one. */
  'DELETE /api/v1/user/sessions': {
    query: z
      .object({
        id: z.optional(z.string()),
        others: z.optional(z.literal('true', { error: 'Use true, or leave it out.' })),
      })
      .check(
        z.refine(({ id, others }) => (id === undefined) !== (others === undefined), {
          error: 'Enter a session ID, or others=true.',
          path: ['id'],
        }),
      ),
    answer: Ended,
  },
  'DELETE /api/v1/user/provider': { query: Method, answer: Method },
  'GET /api/v1/user/apikeys': { answer: z.array(ApiKey) },
  /** `key` is returned only once and stored nowhere. */
  'POST /api/v1/user/apikeys': { body: NewKeyBody, answer: z.extend(ApiKey, { key: z.string() }), status: 201 },
  'DELETE /api/v1/user/apikeys': { query: Id, answer: Id },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof signInCalls & typeof ownCalls> {}
}
