import { useLocation } from '@tanstack/react-router'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { Button } from '../../../ui/components/button.tsx'
import { useCall } from '../../../ui/data/call.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { reloadDetails } from '../load.ts'

/** The page that a mailed link opens. Confirming takes a button press, since mail scanners open links too. */
export function VerifyEmailPage() {
  useTitle('Confirm your email')
  const token = useLocation().hash
  const verify = useCall('POST /api/v1/user/email/confirm', { onSuccess: reloadDetails })
  const user = useSessionUser()
  const profile = <WideLink to={pages.profile.path}>Go to your profile</WideLink>
  if (verify.data)
    return (
      <AuthBox title="Email confirmed">
        <p role="status">{verify.data.email} is confirmed as yours.</p>
        {profile}
      </AuthBox>
    )
  return (
    <AuthBox title="Confirm your email">
      <p>
        {token
          ? `Confirm that ${user?.email ?? 'this email'} is yours.`
          : 'Part of the link is missing. Open it again from the email.'}
      </p>
      {token && (
        <Button tone="primary" size="wide" disabled={verify.isPending} onClick={() => verify.mutate({ token })}>
          Confirm
        </Button>
      )}
      {profile}
    </AuthBox>
  )
}
