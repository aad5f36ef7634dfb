import { startAuthentication } from '@simplewebauthn/browser'
import { call, type Input } from '../../ui/data/call.ts'
import { passkeyReason } from './passkey-errors.ts'

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type Response = Input<'POST /api/auth/sign-in/passkey'>['response']

/** Signs in with a passkey; with `prove`, only confirms the signed-in user. Throws an error with a message to show. */
export async function authenticateWithPasskey(more: { prove?: true } = {}): Promise<void> {
  try {
    // The contract has no schemas for the library's types, hence the casts.
    const options: object = await call('POST /api/auth/sign-in/passkey/options', undefined)
    const response: object = await startAuthentication({ optionsJSON: options as RequestOptions })
    await call('POST /api/auth/sign-in/passkey', { ...more, response: response as Response })
  } catch (error) {
    throw new Error(error instanceof Error ? passkeyReason(error) : 'Something went wrong.', { cause: error })
  }
}
