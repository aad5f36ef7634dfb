import { SetUpFirst } from './accounts/pages/second-factor/set-up-first.tsx'
import { SignInAgain } from './accounts/pages/sign-in/again.tsx'
import { LiveStream } from './ui/data/live-stream.ts'
import { useSessionUser } from './ui/data/session.ts'
import { useKeptFocus } from './ui/shell/kept-focus.ts'

/**
 * What a screen needs besides once somebody has signed in: live changes, a way back in over unsaved ones, the way to a second
 * factor where one is required, and the focus in its place when what had it is removed.
 */
export function SignedIn() {
  const user = useSessionUser()
  useKeptFocus()
  return (
    <>
      {/* Whoever must set up a second factor first would be refused. */}
      {user && !user.mustSetUp && <LiveStream key={user.id} />}
      <SignInAgain />
      <SetUpFirst />
    </>
  )
}
