import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { Loading } from '../../../ui/components/logo.tsx'
import { api } from '../../../ui/data/api.ts'
import { takeWanted } from '../../../ui/data/session.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { useTitle } from '../../../ui/navigation/title.ts'
import css from './auth.module.css'
import { AuthBox } from './box.tsx'
import { providersQuery, type SignInAnswer } from './calls.ts'
import { AuthForm, UsernameField } from './form.tsx'
import { useLeaveFor } from './leave.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { afterSignIn } from './passkeys.ts'
import { ProviderMark } from './provider-mark.tsx'

/** Sign-in with the configured providers; the password form is only at /auth/signin/user. */
export function SigninPage() {
  useTitle('Sign in')
  const { user }: { user?: string } = useParams({ strict: false })
  const withPassword = user === 'user'
  const { data: providers } = useQuery(providersQuery)
  // This screen sends a signed-in user on to where they wanted to go.
  const leave = useLeaveFor('/api/auth/sign-in/social', '/auth/signin')
  if (!providers) return <Loading />
  return (
    <AuthBox title="Sign in to ToolBox">
      {providers.length > 0 && <p>Choose how to sign in.</p>}
      {providers.map(({ id, name }) => (
        <Button key={id} size="wide" disabled={leave.isPending} onClick={() => leave.mutate(id)}>
          <ProviderMark id={id} size={17} />
          Sign in with {name}
        </Button>
      ))}
      {providers.length === 0 && !withPassword && (
        <p>
          No sign-in provider is configured. <Link to="/auth/signin/user">Sign in with username and password</Link>
        </p>
      )}
      {!withPassword && <PasskeyButton />}
      {providers.length > 0 && !withPassword && (
        <Link to="/auth/signin/user" className={css.other}>
          Use username and password
        </Link>
      )}
      {providers.length > 0 && withPassword && <p className={css.or}>or</p>}
      {withPassword && <CredentialsForm />}
    </AuthBox>
  )
}

function CredentialsForm() {
  const navigate = useNavigate()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api.post<SignInAnswer>('/api/auth/sign-in/username', { username, password }),
    onSuccess: async ({ data }) => {
      if ('twoFactorRedirect' in data) return navigate({ to: '/auth/second-step' })
      await afterSignIn()
      await navigate({ href: takeWanted(), replace: true })
    },
  })
  return (
    <AuthForm button="Sign in with Credentials" busy={signIn.isPending} onSend={signIn.mutate}>
      <UsernameField value={username} onText={setUsername} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
    </AuthForm>
  )
}
