import { useQuery } from '@tanstack/react-query'
import { NewPasswordField } from '../../sign-in/pages/new-password-field.tsx'
import { buttonClass } from '../../ui/components/button.tsx'
import { Part } from '../../ui/components/page.tsx'
import { Warning } from '../../ui/components/warning.tsx'
import { read, reload, useCall } from '../../ui/data/call.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { refuseOnce, useUnsaved } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { inputsOf } from '../../ui/form/fields.ts'
import { succeed } from '../../ui/toasts.ts'
import { useLately } from './lately.tsx'
import css from './profile.module.css'

const blank = { current: '', password: '' }

/** Changes the user's own password, which ends their other sessions. */
export function OwnPassword({ username }: { username: string }) {
  const draft = useDraft(blank)
  useUnsaved(draft.isChanged)
  const { data: state } = useQuery(read('GET /api/v1/user/password'))
  const { review, dialog } = useLately()
  const change = useCall('PATCH /api/v1/user/password', {
    onSuccess: ({ ended }) => {
      draft.reset()
      succeed('Successfully updated credentials.')
      if (ended > 0) void review()
      return reload('GET /api/v1/user/password')
    },
    meta: { quiet: true },
    onError: (error) => refuseOnce(draft, error),
  })
  const field = inputsOf(draft)
  return (
    <Part aria-label="Password">
      <h2>Password</h2>
      {state?.givenAt != null && (
        <Warning>Your password was set by an admin. Change it to keep your account private.</Warning>
      )}
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(draft.values)
        }}
      >
        <TextField label="Username" value={username} readOnly autoComplete="username" />
        <TextField
          {...field('current')}
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
        />
        <NewPasswordField
          {...field('password')}
          label="New password"
          required
          also="You'll be signed out on other devices."
        />
        <button type="submit" className={buttonClass({ tone: 'primary' })} disabled={change.isPending}>
          Change password
        </button>
      </form>
      {dialog}
    </Part>
  )
}
