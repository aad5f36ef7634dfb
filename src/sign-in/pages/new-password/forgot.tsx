import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import css from '../../../people/pages/auth.module.css'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { useCall } from '../../../ui/data/call.ts'
import { useSendsMail } from '../../../ui/data/server-config.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { reportValidity, showServerErrorsOrNotify } from '../../../ui/form/editor.ts'
import { EmailField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { ForgottenBody } from '../../contract.ts'
import { AuthForm } from '../form.tsx'

const title = 'Reset your password'

/** Requests a reset link for an email, without revealing whether an account has it. */
export function ForgotPage() {
  useTitle(title)
  const sendsMail = useSendsMail()
  const ask = useCall('POST /api/v1/auth/forgotten', { meta: { quiet: true } })
  if (sendsMail === false)
    return (
      <AuthBox title={title}>
        <p>This server doesn't send email. Ask an admin to set a new password for you.</p>
        <BackToSignIn />
      </AuthBox>
    )
  if (ask.data)
    return (
      <AuthBox title="Check your email">
        <p role="status">
          If {ask.data.email} is the confirmed email of an account with a password, we've sent it a link.
        </p>
        <p>The link works for 30 minutes. We send one an hour, so check your spam folder before you try again.</p>
        <BackToSignIn />
      </AuthBox>
    )
  return (
    <AuthBox title={title}>
      <p>Enter your account's email, and we'll send you a link to choose a new password.</p>
      <EmailForm ask={ask} />
      <Link to="/auth/signin/user" className={css.other}>
        Back to sign-in
      </Link>
    </AuthBox>
  )
}

const BackToSignIn = () => <WideLink to="/auth/signin/user">Back to sign-in</WideLink>

function EmailForm({ ask }: { ask: ReturnType<typeof useCall<'POST /api/v1/auth/forgotten'>> }) {
  const draft = useDraft({ email: '' })
  const field = useRef<HTMLDivElement>(null)
  const send = () => {
    if (ask.isPending) return
    if (reportValidity(draft, issuesOf(ForgottenBody, draft.values)))
      return ask.mutate(draft.values, { onError: (error) => showServerErrorsOrNotify(draft, error) })
    field.current?.querySelector('input')?.focus()
  }
  return (
    <AuthForm button="Send link" busy={ask.isPending} onSend={send}>
      <div ref={field}>
        <EmailField {...inputsOf(draft)('email')} autoFocus />
      </div>
    </AuthForm>
  )
}
