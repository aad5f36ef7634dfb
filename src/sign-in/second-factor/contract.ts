import * as z from 'zod/mini'
import { withoutControls } from '../../shared/schemas/names.ts'

const code = z.string({ error: 'Enter the code.' }).check(z.trim(), z.maxLength(40, { error: 'This is too long.' }))
/** A code of the authenticator app: six digits, spaces aside. */
export const AppCodeBody = z.strictObject({
  code: z.pipe(
    code.check(z.regex(/^(?: *\d){6} *$/, { error: 'Enter the 6-digit code from your authenticator app.' })),
    z.transform((text) => text.replaceAll(' ', '')),
  ),
})
export const RecoveryCodeBody = z.strictObject({
  code: code.check(z.minLength(1, { error: 'Enter a recovery code.' })),
})

/** The current password, which may be left out right after signing in. */
export const ProvenBody = z.strictObject({
  password: z.optional(z.string().check(z.minLength(1), z.maxLength(1_000, { error: 'This is too long.' }))),
})

/** `key` is the secret as text, for apps that can't read the QR code of `totpURI`; the codes are shown only this once. */
export const PreparedFactor = z.object({ totpURI: z.string(), key: z.string(), backupCodes: z.array(z.string()) })
export type PreparedFactor = z.infer<typeof PreparedFactor>
export const RecoveryCodes = z.object({ backupCodes: z.array(z.string()) })

/** `works` is false for a passkey that was created at another host. Instants are epoch milliseconds. */
export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  works: z.boolean(),
  createdAt: z.int(),
  lastUsedAt: z.nullable(z.int()),
})
export type Passkey = z.infer<typeof Passkey>

/** `app` is null without an authenticator app; `required` says that the user may not do without a second factor. */
export const OwnFactor = z.object({
  app: z.nullable(z.object({ since: z.int(), codesLeft: z.int() })),
  required: z.boolean(),
  passkeys: z.array(Passkey),
})
export type OwnFactor = z.infer<typeof OwnFactor>

/** What can be used as the second step of the sign-in that this browser has begun; none if there is no such sign-in. */
export const PendingSignIn = z.object({ methods: z.array(z.enum(['totp', 'passkey'])) })

export const Done = z.object({ status: z.literal(true) })

export const PasskeyName = z
  .string({ error: 'Enter a name for the passkey.' })
  .check(
    z.trim(),
    z.minLength(1, { error: 'Enter a name for the passkey.' }),
    z.maxLength(60, { error: 'Use at most 60 characters.' }),
    withoutControls,
  )
const text = z.string().check(z.maxLength(20_000, { error: 'This is too long.' }))
/** What the browser's WebAuthn call returned, as JSON; the library checks it. */
const response = <Shape extends Record<string, z.ZodMiniType>>(shape: Shape) =>
  z.looseObject({
    id: text,
    rawId: text,
    type: z.literal('public-key'),
    response: z.looseObject(shape),
    clientExtensionResults: z.record(z.string(), z.unknown()),
  })

/** How the browser reaches the device: `usb`, `internal`, and words that are yet to come. */
const Transports = z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))

export const NewPasskeyBody = z.strictObject({
  name: PasskeyName,
  response: response({ clientDataJSON: text, attestationObject: text, transports: z.optional(Transports) }),
})
export const PasskeySignInBody = z.strictObject({
  prove: z.optional(z.boolean()),
  response: response({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
/** Options for the browser's WebAuthn call, as JSON. */
export const PasskeyOptions = z.looseObject({ challenge: z.string() })
export const RenamePasskeyBody = z.strictObject({ id: z.string(), name: PasskeyName })
export const PasskeyId = z.object({ id: z.string() })
