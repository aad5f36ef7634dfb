import { startAuthentication } from '@simplewebauthn/browser'
import { api } from '../../ui/data/api.ts'
import { passkeyReason } from './passkey-words.ts'

const path = '/api/auth/sign-in/passkey'
type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Signs in with a passkey; with `prove`, only proves who is signed in. Throws an error with words for the user. */
export async function answerWithPasskey(more: { prove?: true } = {}): Promise<void> {
  try {
    const { data: optionsJSON } = await api.post<RequestOptions>(`${path}/options`)
    const response = await startAuthentication({ optionsJSON })
    await api.post(path, { ...more, response })
  } catch (error) {
    throw new Error(error instanceof Error ? passkeyReason(error) : 'Something went wrong.', { cause: error })
  }
}
