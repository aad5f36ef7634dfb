import { Link, useSearch } from '@tanstack/react-router'
import { useSessionUser } from '../../web/session.ts'
import { useTitle } from '../../web/title.ts'
import { buttonClass } from '../../web/ui/button.tsx'
import { AuthBox } from './box.tsx'
import { useRefusal } from './refusal.ts'

/** Where everybody lands who lacks the right to what was asked for, or whom a provider or this server refused. */
export function ErrorPage() {
  const { error }: { error?: string } = useSearch({ strict: false })
  const denied = error === undefined || error === 'AccessDenied'
  const title = denied ? 'Access denied' : 'Sign-in failed'
  useTitle(title)
  const user = useSessionUser()
  const refusal = useRefusal()
  return (
    <AuthBox title={title}>
      <p>{refusal ?? wordsFor(denied, Boolean(user))}</p>
      {user === null && (
        <Link to="/auth/signin/{-$user}" className={buttonClass({ tone: 'primary', size: 'wide' })}>
          Sign in
        </Link>
      )}
      {user && refusal && (
        <Link to="/user" className={buttonClass({ tone: 'primary', size: 'wide' })}>
          Back to your profile
        </Link>
      )}
      <Link to="/" className={buttonClass({ size: 'wide' })}>
        Back home
      </Link>
    </AuthBox>
  )
}

function wordsFor(denied: boolean, signedIn: boolean): string {
  if (!denied) return 'Something went wrong while signing in. Please try again.'
  if (signedIn) return 'Your account does not have the role this page needs. An admin can give it to you.'
  return 'Sign in with an account that may see this page.'
}
