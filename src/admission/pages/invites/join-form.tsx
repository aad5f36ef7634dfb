import { AuthForm, UsernameField } from '../../../sign-in/pages/form.tsx'
import { useSetPassword } from '../../../sign-in/pages/new-password/set-password.ts'
import { ShownPasswordField } from '../../../sign-in/pages/new-password-field.tsx'
import { api } from '../../../ui/data/api.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { passes } from '../../../ui/form/editor.ts'
import { EmailField, TextField } from '../../../ui/form/field.tsx'
import { issuesOf } from '../../../ui/form/issues.ts'
import { UseInviteBody } from '../../invites/contract.ts'

/** Creates the account of somebody who is invited, and signs them in. */
export function JoinForm({ token }: { token: string }) {
  const draft = useDraft({ name: '', email: '', username: '', password: '' })
  const { values, errors, set } = draft
  const join = useSetPassword({
    draft,
    send: async (body) => {
      await api.post('/api/v1/auth/invite', { token, ...body })
      return body.username
    },
    done: 'Your account is ready.',
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
        autoFocus
        value={values.name}
        error={errors.name}
        onText={(text) => set('name', text)}
      />
      <EmailField value={values.email} error={errors.email} onText={(text) => set('email', text)} />
      <UsernameField value={values.username} error={errors.username} onText={(text) => set('username', text)} />
      <ShownPasswordField
        label="Password"
        value={values.password}
        error={errors.password}
        onText={(text) => set('password', text)}
      />
    </AuthForm>
  )
}
