import { useNavigate } from '@tanstack/react-router'
import { forgetSession, takeWanted } from '../../ui/data/session.ts'
import { withdraw } from '../../ui/toasts.ts'

/** Whether this browser can use passkeys at this address: only by a secure connection to a name. */
export const canUsePasskeys = (): boolean =>
  isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)

/** Signs in with a passkey; with `prove`, only proves who is signed in. Its code is fetched when it is wanted. */
export const answerWithPasskey = async (more?: { prove: true }): Promise<void> =>
  (await import('./passkey-sign-in.ts')).answerWithPasskey(more)

/** Goes on, after signing in, to where the user wanted to go. */
export function useGoOn() {
  const navigate = useNavigate()
  return async () => {
    await afterSignIn()
    await navigate({ href: takeWanted(), replace: true })
  }
}

/** After signing in: errors of earlier attempts are no longer of interest. */
export async function afterSignIn() {
  withdraw(({ kind }) => kind === 'danger')
  await forgetSession()
}
