import type { Admission } from '../sign-in/providers/arrival.ts'
import { waitingNote } from './access/waiting.ts'
import { acceptPendingInvite, inviteNote } from './invites/pending.ts'
import { signInWithProvider } from './sign-in-with-provider.ts'

/** What signing in needs to know of who may come in. */
export const admission: Admission = {
  signInWithProvider,
  inviteNote,
  acceptPendingInvite,
  waitingNote,
}
