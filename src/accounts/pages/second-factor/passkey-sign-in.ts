import { startAuthentication } from '@simplewebauthn/browser'
import { api } from '../../../ui/data/api.ts'
import { passkeyReason } from './passkey-words.ts'

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Has the browser answer with a passkey at `path`, whose options are below it. Throws an error with words for the user. */
export async function answerWithPasskey(path: string): Promise<void> {
  try {
    const { data: optionsJSON } = await api.post<RequestOptions>(`${path}/options`)
    const response = await startAuthentication({ optionsJSON })
    await api.post(path, { response })
  } catch (error) {
    throw new Error(error instanceof Error ? passkeyReason(error) : 'Something went wrong.', { cause: error })
  }
}
