import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import css from '../../../people/pages/auth.module.css'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Loading } from '../../../ui/components/logo.tsx'
import { reason } from '../../../ui/data/api.ts'
import { whenDone } from '../../../ui/data/call.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { AuthForm } from '../form.tsx'
import { PasskeyButton } from '../passkey-button.tsx'
import { useFinishSignIn } from '../passkeys.ts'
import { pendingSignInQuery, useEnterCode } from './calls.ts'
import { AppCodeField, RecoveryCodeField } from './code-fields.tsx'

export function SecondStepPage() {
  useTitle('Two-step sign-in')
  const methods = useQuery(pendingSignInQuery).data?.methods
  const finishSignIn = useFinishSignIn()
  if (!methods) return <Loading />
  if (methods.length === 0)
    return (
      <AuthBox title="Two-step sign-in">
        <p>This sign-in has expired. Please start again.</p>
        <WideLink to={pages.signIn.path} tone="primary">
          Sign in
        </WideLink>
      </AuthBox>
    )
  const hasApp = methods.includes('totp')
  return (
    <AuthBox title="Two-step sign-in">
      {hasApp ? <CodeForm onDone={finishSignIn} /> : <p>Use your passkey to finish signing in.</p>}
      {methods.includes('passkey') && <PasskeyButton tone={hasApp ? 'plain' : 'primary'} />}
      <Link to={pages.signIn.path} className={css.other}>
        Start again
      </Link>
    </AuthBox>
  )
}

function CodeForm({ onDone }: { onDone: () => Promise<void> }) {
  const [isRecovery, setRecovery] = useState(false)
  const [code, setCode] = useState('')
  const enter = useEnterCode()
  const Field = isRecovery ? RecoveryCodeField : AppCodeField
  return (
    <>
      <AuthForm
        button="Continue"
        busy={enter.isPending}
        onSend={() =>
          void whenDone(
            enter.mutateAsync({ code, isRecovery }, { onError: () => setCode((now) => (now === code ? '' : now)) }),
            () => void onDone(),
          )
        }
      >
        <Field
          key={String(isRecovery)}
          autoFocus
          value={code}
          error={enter.error && !code ? reason(enter.error) : undefined}
          onChange={setCode}
        />
      </AuthForm>
      <Button
        size="wide"
        onClick={() => {
          enter.reset()
          setCode('')
          setRecovery(!isRecovery)
        }}
      >
        {isRecovery ? 'Use your authenticator app' : 'Use a recovery code'}
      </Button>
    </>
  )
}
