import { Bell } from './accounts/pages/inbox/bell.tsx'
import { Proof } from './accounts/pages/proof/proof.tsx'
import { SetUpFirst } from './accounts/pages/second-factor/set-up-first.tsx'
import { SignInAgain } from './accounts/pages/sign-in/again.tsx'
import { LiveStream } from './ui/data/live-stream.ts'
import { useSessionUser } from './ui/data/session.ts'

/**
 * What a screen needs besides once somebody has signed in: live changes, a way back in over unsaved ones, the way to a second
 * factor where one is required, and to a proof where a call needs one.
 */
export function SignedIn() {
  const user = useSessionUser()
  return (
    <>
      {/* Whoever must set up a second factor first would be refused. */}
      {user && !user.mustSetUp && <LiveStream key={user.id} />}
      {user && !user.mustSetUp && <Bell key={user.id} />}
      <SignInAgain />
      <SetUpFirst />
      <Proof />
    </>
  )
}
