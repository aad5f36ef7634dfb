import * as z from 'zod/mini'
import { requiredText, withoutControls, withVisible } from '../../shared/schemas/names.ts'
import { SessionState } from '../contract.ts'

const code = z.string({ error: 'Enter the code.' }).check(z.trim(), z.maxLength(40, { error: 'This is too long.' }))
/** A code of the authenticator app: six digits, ignoring spaces. */
const AppCodeBody = z.strictObject({
  code: z.pipe(
    code.check(z.regex(/^(?: *\d){6} *$/, { error: 'Enter the 6-digit code from your authenticator app.' })),
    z.transform((text) => text.replaceAll(' ', '')),
  ),
})
const RecoveryCodeBody = z.strictObject({
  code: code.check(z.minLength(1, { error: 'Enter a recovery code.' })),
})

/** The current password; optional with a recent sign-in or proof. */
const ProvenBody = z.strictObject({
  password: z.optional(z.string().check(z.minLength(1), z.maxLength(1_000, { error: 'This is too long.' }))),
})

/** `key` is the secret as text, for apps that can't read the QR code of `totpURI`; the codes are returned only once. */
const PreparedFactor = z.object({ totpURI: z.string(), key: z.string(), backupCodes: z.array(z.string()) })
const RecoveryCodes = z.object({ backupCodes: z.array(z.string()) })

/** `works` is false for a passkey that was created at another host. Instants are epoch milliseconds. */
export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  works: z.boolean(),
  createdAt: z.int(),
  lastUsedAt: z.nullable(z.int()),
})
export type Passkey = z.infer<typeof Passkey>

/** `app` is null without an authenticator app; `required` means that the user must have a second factor. */
export const OwnFactor = z.object({
  app: z.nullable(z.object({ since: z.int(), codesLeft: z.int() })),
  required: z.boolean(),
  passkeys: z.array(Passkey),
})
export type OwnFactor = z.infer<typeof OwnFactor>

/** The methods for the second step of this browser's pending sign-in; empty if there is none. */
const PendingSignIn = z.object({ methods: z.array(z.enum(['totp', 'passkey'])) })

const Done = z.object({ status: z.literal(true) })

const PasskeyName = requiredText('Enter a name for the passkey.', 60).check(withVisible, withoutControls)
const text = z.string().check(z.maxLength(20_000, { error: 'This is too long.' }))
/** The result of the browser's WebAuthn call, as JSON; the library checks it. */
const response = <Shape extends Record<string, z.ZodMiniType>>(shape: Shape) =>
  z.looseObject({
    id: text,
    rawId: text,
    type: z.literal('public-key'),
    response: z.looseObject(shape),
    clientExtensionResults: z.record(z.string(), z.unknown()),
  })

/** How the browser reaches the device: `usb`, `internal`, or values that future browsers may add. */
const Transports = z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))

const NewPasskeyBody = z.strictObject({
  name: PasskeyName,
  response: response({ clientDataJSON: text, attestationObject: text, transports: z.optional(Transports) }),
})
const PasskeySignInBody = z.strictObject({
  prove: z.optional(z.boolean()),
  response: response({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
const PasskeyOptions = z.looseObject({ challenge: z.string() })
const RenamePasskeyBody = z.strictObject({ id: z.string(), name: PasskeyName })
const PasskeyId = z.object({ id: z.string() })

export const secondFactorCalls = {
  'GET /api/v1/auth/second-step': { answer: PendingSignIn },
  'POST /api/auth/two-factor/verify-totp': { body: AppCodeBody, answer: SessionState },
  'POST /api/auth/two-factor/verify-backup-code': { body: RecoveryCodeBody, answer: SessionState },
  'GET /api/v1/user/second-factor': { answer: OwnFactor },
  'POST /api/auth/two-factor/enable': { body: ProvenBody, answer: PreparedFactor },
  'POST /api/auth/two-factor/disable': { body: ProvenBody, answer: Done },
  'POST /api/auth/two-factor/generate-backup-codes': { body: ProvenBody, answer: RecoveryCodes },
  'POST /api/auth/sign-in/passkey/options': { answer: PasskeyOptions },
  'POST /api/auth/sign-in/passkey': { body: PasskeySignInBody, answer: SessionState },
  'POST /api/v1/user/passkeys/options': { answer: PasskeyOptions },
  'POST /api/v1/user/passkeys': { body: NewPasskeyBody, answer: Passkey, status: 201 },
  'PATCH /api/v1/user/passkeys': { body: RenamePasskeyBody, answer: PasskeyId },
  'DELETE /api/v1/user/passkeys': { query: PasskeyId, answer: PasskeyId },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof secondFactorCalls> {}
}
