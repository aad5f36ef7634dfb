import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import type { PasswordAnswer } from '../../sign-in/contract.ts'
import { NewPasswordField } from '../../sign-in/pages/new-password-field.tsx'
import { buttonClass } from '../../ui/components/button.tsx'
import { Part } from '../../ui/components/page/page.tsx'
import { Warning } from '../../ui/components/warning.tsx'
import { api } from '../../ui/data/api.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { refuseOnce } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { succeed } from '../../ui/toasts.ts'
import { useLately } from './lately.tsx'
import css from './profile.module.css'

const path = '/api/v1/user/password'
const stateQuery = queryOptions({
  queryKey: ['own', 'password'],
  queryFn: async () => (await api.get<{ givenAt: number | null }>(path)).data,
})

const blank = { current: '', password: '' }

/** Changes the user's own password, which ends their other sessions. */
export function OwnPassword({ username }: { username: string }) {
  const draft = useDraft(blank)
  const client = useQueryClient()
  const { data: state } = useQuery(stateQuery)
  const { review, dialog } = useLately()
  const change = useMutation({
    mutationFn: async () => (await api.patch<z.infer<typeof PasswordAnswer>>(path, draft.values)).data,
    onSuccess: ({ ended }) => {
      draft.reset()
      succeed('Successfully updated credentials.')
      if (ended > 0) void review()
      return client.invalidateQueries({ queryKey: stateQuery.queryKey })
    },
    meta: { quiet: true },
    onError: (error) => refuseOnce(draft, error),
  })
  const { values, errors, set } = draft
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
          change.mutate()
        }}
      >
        <TextField label="Username" value={username} readOnly autoComplete="username" />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={values.current}
          error={errors.current}
          onText={(text) => set('current', text)}
        />
        <NewPasswordField
          label="New password"
          required
          also="You'll be signed out on other devices."
          value={values.password}
          error={errors.password}
          onText={(text) => set('password', text)}
        />
        <button type="submit" className={buttonClass({ tone: 'primary' })} disabled={change.isPending}>
          Change password
        </button>
      </form>
      {dialog}
    </Part>
  )
}
