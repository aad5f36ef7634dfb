import { useIsMutating } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { AuthBox } from '../../../people/pages/auth-box.tsx'
import { deviceOf } from '../../../shared/device.ts'
import { Button } from '../../../ui/components/button.tsx'
import { isCallCanceled } from '../../../ui/data/api.ts'
import { whenDone } from '../../../ui/data/call.ts'
import { signingOut, signOut } from '../../../ui/data/session.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifyError, notifySuccess } from '../../../ui/toasts.ts'
import { passkeyReason } from '../passkey-errors.ts'
import { canUsePasskeys, useFinishSignIn } from '../passkeys.ts'
import { useAddPasskey } from './calls.ts'
import { SetUpSteps } from './set-up-steps.tsx'

/** The page for users who must set up a second factor before they can do anything else. */
export function SetUpPage() {
  useTitle('Set up two-step sign-in')
  const navigate = useNavigate()
  const finishSignIn = useFinishSignIn()
  const isSigningOut = useIsMutating({ mutationKey: signingOut }) > 0
  const add = useAddPasskey()
  const done = async (words: string) => {
    notifySuccess(words)
    await finishSignIn()
  }
  return (
    <AuthBox title="Set up two-step sign-in">
      <p>Your account needs a second step at sign-in. Set it up to continue.</p>
      <SetUpSteps onDone={() => void done('Two-step sign-in is on.')} />
      {canUsePasskeys() && (
        <Button
          size="wide"
          disabled={add.isPending}
          onClick={() => {
            const added = add.mutateAsync(deviceOf(navigator.userAgent).name, {
              onError: (error) => isCallCanceled(error) || notifyError(passkeyReason(error)),
            })
            void whenDone(added, () => void done('Added your passkey.'))
          }}
        >
          <KeyRound size={17} aria-hidden="true" />
          Add a passkey instead
        </Button>
      )}
      <Button size="wide" disabled={isSigningOut} onClick={() => void signOut(() => void navigate({ to: '/' }))}>
        Sign out
      </Button>
    </AuthBox>
  )
}
