import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { Loading } from '../../../ui/components/logo.tsx'
import { statusOf } from '../../../ui/data/api.ts'
import { call } from '../../../ui/data/call.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useIsLeaving } from '../../../ui/navigation/screen.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { ResetBody } from '../../contract.ts'
import { AuthForm } from '../form.tsx'
import { ShownPasswordField } from '../new-password-field.tsx'
import { useSetPassword } from './set-password.ts'

const title = 'Choose a new password'

/** The page of a mailed reset link: sets a new password and signs in with it. */
export function ResetPage() {
  useTitle(title)
  const token = useLocation().hash
  const [isOver, setOver] = useState(false)
  if (useIsLeaving(pages.reset.path)) return <Loading />
  if (token && !isOver)
    return (
      <AuthBox title={title}>
        <p>You'll be signed out on other devices.</p>
        <ResetForm token={token} onOver={() => setOver(true)} />
      </AuthBox>
    )
  return (
    <AuthBox title={title}>
      <p>
        {isOver
          ? 'This link has expired or was already used.'
          : 'Part of the link is missing. Open it again from the email.'}
      </p>
      <WideLink to={pages.forgot.path} tone="primary">
        Request a new link
      </WideLink>
    </AuthBox>
  )
}

function ResetForm({ token, onOver }: { token: string; onOver: () => void }) {
  const draft = useDraft({ password: '' })
  const form = useSetPassword({
    draft,
    check: (values) => issuesOf(ResetBody, { token, ...values }),
    send: async ({ password }) => (await call('POST /api/v1/auth/reset', { token, password })).username,
    done: 'Your password is set.',
    isTold: (error) => {
      const isOver = statusOf(error) === 403
      if (isOver) onOver()
      return isOver
    },
  })
  return (
    <AuthForm button="Set password" {...form}>
      <ShownPasswordField {...inputsOf(draft)('password')} label="New password" autoFocus />
    </AuthForm>
  )
}
