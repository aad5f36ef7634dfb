import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../ui/data/api.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { passes, refuse } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { issuesOf } from '../../../ui/form/issues.ts'
import { inform, succeed } from '../../../ui/toasts.ts'
import { UseInviteBody } from '../../invites/contract.ts'
import { NewPasswordField } from '../profile/new-password-field.tsx'
import type { SignInAnswer } from '../sign-in/calls.ts'
import { AuthForm, UsernameField } from '../sign-in/form.tsx'
import { afterSignIn } from '../sign-in/passkeys.ts'

/** Creates the account of somebody who is invited, and signs them in. `isAsked`: a press has opened it. */
export function JoinForm({ token, isAsked }: { token: string; isAsked: boolean }) {
  const navigate = useNavigate()
  const draft = useDraft({ name: '', email: '', username: '', password: '' })
  const { values, errors, set } = draft
  const join = useMutation({
    mutationFn: async () => {
      const { username, password } = values
      await api.post('/api/v1/auth/invite', { token, ...values })
      // The invitation is used, even if signing in fails.
      return api.post<SignInAnswer>('/api/auth/sign-in/username', { username, password }).then(
        () => true,
        () => false,
      )
    },
    onSuccess: async (signedIn) => {
      if (!signedIn) {
        inform('Your account is ready. Sign in now.')
        return navigate({ to: '/auth/signin/user' })
      }
      succeed('Your account is ready.')
      await afterSignIn()
      await navigate({ to: '/' })
    },
    onError: (error) => refuse(draft, error),
  })
  const send = () => {
    if (!join.isPending && passes(draft, issuesOf(UseInviteBody, { token, ...values }))) join.mutate()
  }
  return (
    <AuthForm button="Create account" busy={join.isPending} onSend={send}>
      <TextField
        label="Name"
        autoComplete="name"
        required
        autoFocus={isAsked}
        value={values.name}
        error={errors.name}
        onText={(text) => set('name', text)}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        value={values.email}
        error={errors.email}
        onText={(text) => set('email', text)}
      />
      <UsernameField value={values.username} error={errors.username} onText={(text) => set('username', text)} />
      <NewPasswordField
        label="Password"
        required
        value={values.password}
        error={errors.password}
        onText={(text) => set('password', text)}
      />
    </AuthForm>
  )
}
