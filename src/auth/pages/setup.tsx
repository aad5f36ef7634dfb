import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../web/api.ts'
import { useDraft } from '../../web/form/draft.ts'
import { TextField } from '../../web/form/field.tsx'
import { refuse } from '../../web/form/refuse.ts'
import { useTitle } from '../../web/title.ts'
import { inform } from '../../web/toasts.ts'
import { buttonClass } from '../../web/ui/button.tsx'
import css from './auth.module.css'
import { AuthBox } from './box.tsx'

/** Creates the first admin; the link with the token is printed where the server was started. */
export function SetupPage() {
  useTitle('Set up')
  const { token }: { token?: string } = useSearch({ strict: false })
  return (
    <AuthBox title="Set up Tool Box">
      {token ? (
        <>
          <p>Create the first admin. This works once.</p>
          <SetupForm token={token} />
        </>
      ) : (
        <>
          <p>Open this page by the link that was printed when the server started.</p>
          <Link to="/" className={buttonClass({ size: 'wide' })}>
            Back home
          </Link>
        </>
      )}
    </AuthBox>
  )
}

function SetupForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const draft = useDraft({ email: '', username: '', password: '' })
  const [seen, setSeen] = useState(false)
  const create = useMutation({
    mutationFn: () => api.post('/api/v1/auth/setup', { token, ...draft.values }),
    onSuccess: () => {
      inform('The first admin is ready. Sign in now.')
      void navigate({ to: '/auth/signin/user' })
    },
    onError: (error) => refuse(draft, error),
  })
  const { values, errors, set } = draft
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        value={values.email}
        error={errors.email}
        onText={(text) => set('email', text)}
      />
      <TextField
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={values.username}
        error={errors.username}
        onText={(text) => set('username', text)}
      />
      <TextField
        label="Password"
        type={seen ? 'text' : 'password'}
        autoComplete="new-password"
        required
        hint="At least 12 characters."
        value={values.password}
        error={errors.password}
        onText={(text) => set('password', text)}
      />
      <label className={css.seen}>
        <input type="checkbox" checked={seen} onChange={(event) => setSeen(event.target.checked)} />
        Show password
      </label>
      <button type="submit" className={buttonClass({ tone: 'primary', size: 'wide' })} disabled={create.isPending}>
        Create admin
      </button>
    </form>
  )
}
