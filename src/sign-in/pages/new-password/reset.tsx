import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { AuthBox } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { buttonClass } from '../../../ui/components/button.tsx'
import { statusOf } from '../../../ui/data/api.ts'
import { call } from '../../../ui/data/call.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { passes } from '../../../ui/form/editor.ts'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { ResetBody } from '../../contract.ts'
import { AuthForm } from '../form.tsx'
import { ShownPasswordField } from '../new-password-field.tsx'
import { useSetPassword } from './set-password.ts'

const title = 'Choose a new password'

/** Where the link in a mail leads: chooses a new password and signs in with it. */
export function ResetPage() {
  useTitle(title)
  const token = useLocation().hash
  const [isOver, setOver] = useState(false)
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
      <Link to={pages.forgot.path} className={buttonClass({ tone: 'primary', size: 'wide' })}>
        Request a new link
      </Link>
    </AuthBox>
  )
}

function ResetForm({ token, onOver }: { token: string; onOver: () => void }) {
  const draft = useDraft({ password: '' })
  const reset = useSetPassword({
    draft,
    send: async ({ password }) => (await call('POST /api/v1/auth/reset', { token, password })).username,
    done: 'Your password is set.',
    isTold: (error) => {
      const isOver = statusOf(error) === 403
      if (isOver) onOver()
      return isOver
    },
  })
  const send = () => {
    if (!reset.isPending && passes(draft, issuesOf(ResetBody, { token, ...draft.values }))) reset.mutate()
  }
  return (
    <AuthForm button="Set password" busy={reset.isPending} onSend={send}>
      <ShownPasswordField {...inputsOf(draft)('password')} label="New password" autoFocus />
    </AuthForm>
  )
}
