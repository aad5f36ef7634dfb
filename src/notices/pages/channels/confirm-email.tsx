import { useLocation } from '@tanstack/react-router'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { Button } from '../../../ui/components/button.tsx'
import { useTitle } from '../../../ui/navigation/title.ts'
import { useConfirmEmail } from './calls.ts'

/** The page of the link in a confirmation mail. It needs a click, since mail scanners open links too. */
export function ConfirmEmailPage() {
  useTitle('Confirm email')
  const token = useLocation().hash
  const confirm = useConfirmEmail()
  const channels = <WideLink to={pages.channels.path}>Go to channels</WideLink>
  if (confirm.data)
    return (
      <AuthBox title="Email confirmed">
        <p>We'll now send messages to {confirm.data.to}.</p>
        {channels}
      </AuthBox>
    )
  return (
    <AuthBox title="Confirm your email">
      <p>
        {token
          ? 'Get messages from ToolBox at this address.'
          : 'Part of the link is missing. Open it again from the email.'}
      </p>
      {token && (
        <Button tone="primary" size="wide" disabled={confirm.isPending} onClick={() => confirm.mutate({ token })}>
          Confirm
        </Button>
      )}
      {channels}
    </AuthBox>
  )
}
