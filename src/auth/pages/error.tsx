import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionUser } from '../../web/session.ts'
import { useTitle } from '../../web/title.ts'
import { buttonClass } from '../../web/ui/button.tsx'
import { AuthBox } from './box.tsx'

const cookieName = 'toolbox.refusal'

/** Why a sign-in was refused, from the short-lived cookie that came with the refusal. */
function refusal(): string | undefined {
  const cookie = document.cookie.split('; ').find((part) => part.startsWith(`${cookieName}=`))
  try {
    return cookie && decodeURIComponent(cookie.slice(cookieName.length + 1))
  } catch {
    return undefined
  }
}

/** Where everybody lands who lacks the right to what was asked for. */
export function ErrorPage() {
  const { error }: { error?: string } = useSearch({ strict: false })
  const denied = error === undefined || error === 'AccessDenied'
  const title = denied ? 'Access denied' : 'Sign-in failed'
  useTitle(title)
  const user = useSessionUser()
  const [told] = useState(refusal)
  return (
    <AuthBox title={title}>
      <p>{told ?? wordsFor(denied, user !== null)}</p>
      {user === null && (
        <Link to="/auth/signin/{-$user}" className={buttonClass({ tone: 'primary', size: 'wide' })}>
          Sign in
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
  return 'This page needs an account with the right role.'
}
