import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import css from '../../people/pages/auth.module.css'
import { AuthBox, WideLink } from '../../people/pages/auth-box.tsx'
import { pages } from '../../shared/pages.ts'
import { buttonClass } from '../../ui/components/button.tsx'
import { Loading } from '../../ui/components/logo.tsx'
import { Warning } from '../../ui/components/warning.tsx'
import { reason, statusOf } from '../../ui/data/api.ts'
import { useCall } from '../../ui/data/call.ts'
import { useNeedsAdmin } from '../../ui/data/server-config.ts'
import { TextField } from '../../ui/form/field.tsx'
import { useTitle } from '../../ui/navigation/title.ts'
import { providersQuery, useRedirectToProvider } from './calls.ts'
import { AuthForm, ProviderButtons, UsernameField } from './form.tsx'
import { LastUsed, PasskeyButton, rememberMethod, useLastMethod } from './passkey-button.tsx'
import { closeErrors, useFinishSignIn } from './passkeys.ts'

export function SigninPage() {
  useTitle('Sign in')
  return <SignIn />
}

/** The sign-in screen; the password form is only at /auth/signin/user. `children` explains why the screen is shown. */
export function SignIn({ children }: { children?: ReactNode }) {
  const { user }: { user?: string } = useParams({ strict: false })
  const withPassword = user === 'user'
  const { data: providers } = useQuery(providersQuery)
  const needsAdmin = useNeedsAdmin()
  const last = useLastMethod()
  // On return, this screen redirects the signed-in user to the page they wanted.
  const leave = useRedirectToProvider('POST /api/auth/sign-in/social', '/auth/signin')
  const choose = (id: string) => {
    rememberMethod(id)
    leave.mutate(id)
  }
  if (!providers) return <Loading />
  const ordered = providers.toSorted((a, b) => Number(b.id === last) - Number(a.id === last))
  const credentials = providers.length > 0 && !withPassword && <CredentialsLink isLast={last === 'credentials'} />
  const passkey = !withPassword && <PasskeyButton isLast={last === 'passkey'} />
  return (
    <AuthBox title="Sign in to ToolBox">
      {needsAdmin && (
        <p>There is no admin yet. To create the first one, open the set-up link printed in the server's terminal.</p>
      )}
      {!navigator.cookieEnabled && (
        <Warning>Your browser blocks cookies from this site. Allow them to sign in.</Warning>
      )}
      {children && <p>{children}</p>}
      {!children && providers.length > 0 && !needsAdmin && <p>Choose how to sign in.</p>}
      {last === 'passkey' && passkey}
      {last === 'credentials' && credentials}
      <ProviderButtons providers={ordered} verb="Sign in with" busy={leave.isPending} last={last} onChoose={choose} />
      {providers.length === 0 && !withPassword && (
        <>
          {!needsAdmin && <p>No sign-in provider is configured.</p>}
          <WideLink to="/auth/signin/user" tone="primary">
            Sign in with username and password
          </WideLink>
        </>
      )}
      {last !== 'passkey' && passkey}
      {last !== 'credentials' && credentials}
      {providers.length > 0 && withPassword && <p className={css.or}>or</p>}
      {withPassword && <CredentialsForm />}
      {withPassword && (
        <Link to={pages.forgot.path} className={css.other}>
          Forgot password?
        </Link>
      )}
    </AuthBox>
  )
}

const CredentialsLink = ({ isLast }: { isLast: boolean }) => (
  <Link to="/auth/signin/user" className={isLast ? buttonClass({ size: 'wide' }) : css.other}>
    {isLast && <KeyRound size={17} aria-hidden="true" />}
    Use username and password
    {isLast && <LastUsed />}
  </Link>
)

/** Wrong credentials are also shown at the field. */
const isWrong = (error: unknown) => statusOf(error) === 401

function CredentialsForm() {
  const navigate = useNavigate()
  const finishSignIn = useFinishSignIn()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const passwordField = useRef<HTMLInputElement>(null)
  const signIn = useCall('POST /api/auth/sign-in/username', {
    onError: (error, sent) => {
      const field = passwordField.current
      const isElsewhere = document.activeElement?.matches('[autocomplete=username]')
      // Typing must not replace a password that the user is correcting. React may not have rendered it yet.
      if (isWrong(error) && field?.value === sent.password && !isElsewhere) field.select()
    },
    onSuccess: async (answer) => {
      rememberMethod('credentials')
      closeErrors()
      if ('twoFactorRedirect' in answer) return navigate({ to: pages.secondStep.path })
      await finishSignIn()
    },
  })
  return (
    <AuthForm
      button="Sign in with Credentials"
      busy={signIn.isPending}
      onSend={() => signIn.mutate({ username, password })}
    >
      <UsernameField value={username} autoFocus onChange={setUsername} />
      <TextField
        ref={passwordField}
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        error={isWrong(signIn.error) ? reason(signIn.error) : undefined}
        onChange={(text) => {
          setPassword(text)
          // A pending answer is about another password; this one may be sent at once.
          signIn.reset()
        }}
      />
    </AuthForm>
  )
}
