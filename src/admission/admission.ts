import type { Admission } from '../sign-in/providers/arrival.ts'
import { forgetWaiting, rememberWaiting } from './access/waiting.ts'
import { acceptPendingInvite, pendingInvite } from './invites/pending.ts'
import { signInWithProvider } from './sign-in-with-provider.ts'

/** What signing in needs to know of who may come in. */
export const admission: Admission = {
  signInWithProvider,
  pendingInvite,
  acceptPendingInvite,
  rememberWaiting,
  forgetWaiting,
}
