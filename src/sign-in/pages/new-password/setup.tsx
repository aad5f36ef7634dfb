import { useLocation } from '@tanstack/react-router'
import { usernameRule } from '../../../people/contract.ts'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { Loading } from '../../../ui/components/logo.tsx'
import { call } from '../../../ui/data/call.ts'
import { forgetServerConfig, useNeedsAdmin } from '../../../ui/data/server-config.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { EmailField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useIsLeaving } from '../../../ui/navigation/screen.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { SetupBody } from '../../contract.ts'
import { AuthForm, UsernameField } from '../form.tsx'
import { ShownPasswordField } from '../new-password-field.tsx'
import { useSetPassword } from './set-password.ts'

const byPurpose = {
  first: {
    title: 'Set up ToolBox',
    intro: 'Create the first admin account.',
    button: 'Create admin',
    done: "You're all set.",
  },
  admin: {
    title: 'Create your account',
    intro: "You've been invited as an admin. Enter the email and username this link was created for.",
    button: 'Create admin',
    done: 'Your account is ready.',
  },
  password: {
    title: 'Set a new password',
    intro: 'Choose a new password, and enter your email and username to confirm.',
    button: 'Set password',
    done: 'Your password is set.',
  },
}
type Words = (typeof byPurpose)[keyof typeof byPurpose]
const wordsFor = (purpose: string | null): Words =>
  purpose === 'admin' || purpose === 'password' ? byPurpose[purpose] : byPurpose.first

/** The token is in the fragment; links from earlier releases have it in the query. */
function useLink() {
  const { hash, searchStr } = useLocation()
  const link = new URLSearchParams(hash || searchStr)
  return { token: link.get('token'), purpose: link.get('for') }
}

/** Creates an admin or sets a password, depending on the link that the server or a command has printed. */
export function SetupPage() {
  useTitle('Set up')
  const { token, purpose } = useLink()
  const words = wordsFor(purpose)
  const needsAdmin = useNeedsAdmin()
  const isOver = token !== null && words === byPurpose.first && needsAdmin === false
  if (useIsLeaving(pages.setup.path)) return <Loading />
  return (
    <AuthBox title={words.title}>
      {token && !isOver ? (
        <>
          <p>{words.intro}</p>
          <SetupForm token={token} words={words} />
        </>
      ) : (
        <>
          <p>
            {isOver
              ? 'The first admin account already exists, so this link no longer works.'
              : "Open the set-up link printed in the server's terminal."}
          </p>
          <WideLink to="/">Back home</WideLink>
        </>
      )}
    </AuthBox>
  )
}

function SetupForm({ token, words }: { token: string; words: Words }) {
  const draft = useDraft({ email: '', username: '', password: '' })
  const field = inputsOf(draft)
  const form = useSetPassword({
    draft,
    check: (values) => issuesOf(SetupBody, { token, ...values }),
    send: async (body) => {
      await call('POST /api/v1/auth/setup', { token, ...body })
      return body.username
    },
    done: words.done,
    onDone: forgetServerConfig,
  })
  return (
    <AuthForm button={words.button} {...form}>
      <EmailField {...field('email')} autoFocus />
      <UsernameField {...field('username')} hint={words === byPurpose.first ? usernameRule : undefined} />
      <ShownPasswordField {...field('password')} label="Password" />
    </AuthForm>
  )
}
