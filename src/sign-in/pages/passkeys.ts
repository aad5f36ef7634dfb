import { useNavigate } from '@tanstack/react-router'
import { forgetSession, takeReturnUrl } from '../../ui/data/session.ts'
import { closeToasts } from '../../ui/toasts.ts'

/** Whether this browser can use passkeys at this address: they need a secure connection to a host name, not an IP. */
export const canUsePasskeys = (): boolean =>
  isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)

/** Signs in with a passkey; with `prove`, only confirms the signed-in user. Loads the code on first use. */
export const authenticateWithPasskey = async (more?: { prove: true }): Promise<void> =>
  (await import('./passkey-sign-in.ts')).authenticateWithPasskey(more)

/** After signing in, navigates to the page that the user wanted. */
export function useFinishSignIn() {
  const navigate = useNavigate()
  return async () => {
    await afterSignIn()
    await navigate({ href: takeReturnUrl(), replace: true })
  }
}

/** Closes the errors of earlier attempts. */
export const closeErrors = () => closeToasts(({ kind }) => kind === 'danger')

/** After signing in, removes the errors of earlier attempts and reloads the session. */
export async function afterSignIn() {
  closeErrors()
  await forgetSession()
}
