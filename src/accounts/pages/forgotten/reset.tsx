import { useMutation } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../../ui/components/button.tsx'
import { api, statusOf } from '../../../ui/data/api.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { passes, refuse } from '../../../ui/form/editor.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { inform, succeed } from '../../../ui/toasts.ts'
import { ResetBody } from '../../credentials/forgotten/contract.ts'
import { ShownPasswordField } from '../profile/new-password-field.tsx'
import { AuthBox } from '../sign-in/box.tsx'
import type { SignInAnswer } from '../sign-in/calls.ts'
import { AuthForm } from '../sign-in/form.tsx'
import { afterSignIn } from '../sign-in/passkeys.ts'

const title = 'Choose a new password'
const done = 'Your password is set.'

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
      <Link to="/auth/forgot" className={buttonClass({ tone: 'primary', size: 'wide' })}>
        Request a new link
      </Link>
    </AuthBox>
  )
}

function ResetForm({ token, onOver }: { token: string; onOver: () => void }) {
  const navigate = useNavigate()
  const draft = useDraft({ password: '' })
  const { values, errors, set } = draft
  const reset = useMutation({
    mutationFn: async () => {
      const { password } = values
      const { username } = (await api.post<{ username: string }>('/api/v1/auth/reset', { token, password })).data
      // The link is used up, even if signing in fails.
      return api.post<SignInAnswer>('/api/auth/sign-in/username', { username, password }).then(
        ({ data }) => ('twoFactorRedirect' in data ? 'second step' : 'signed in'),
        () => 'signed out',
      )
    },
    onSuccess: async (state) => {
      await afterSignIn()
      if (state === 'second step') {
        inform(done)
        return navigate({ to: '/auth/second-step', replace: true })
      }
      if (state === 'signed in') succeed(done)
      else inform(`${done} Sign in now.`)
      await navigate({ to: state === 'signed in' ? '/' : '/auth/signin/user', replace: true })
    },
    onError: (error) => {
      if (statusOf(error) === 403) return onOver()
      refuse(draft, error)
    },
  })
  const send = () => {
    if (!reset.isPending && passes(draft, issuesOf(ResetBody, { token, ...values }))) reset.mutate()
  }
  return (
    <AuthForm button="Set password" busy={reset.isPending} onSend={send}>
      <ShownPasswordField
        label="New password"
        value={values.password}
        error={errors.password}
        onText={(text) => set('password', text)}
      />
    </AuthForm>
  )
}
