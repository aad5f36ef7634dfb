import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { usernameRule } from '../../../people/contract.ts'
import css from '../../../people/pages/auth.module.css'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { shownRoles } from '../../../people/pages/role-labels.ts'
import { pages } from '../../../shared/pages.ts'
import { accessLevels, type SessionUser } from '../../../shared/user.ts'
import { providersQuery, useRedirectToProvider } from '../../../sign-in/pages/calls.ts'
import { AuthForm, ProviderButtons, UsernameField } from '../../../sign-in/pages/form.tsx'
import { useSetPassword } from '../../../sign-in/pages/new-password/set-password.ts'
import { ShownPasswordField } from '../../../sign-in/pages/new-password-field.tsx'
import { Button } from '../../../ui/components/button.tsx'
import { Loading } from '../../../ui/components/logo.tsx'
import { reason } from '../../../ui/data/api.ts'
import { call, useCall } from '../../../ui/data/call.ts'
import { forgetSession, signOut, useSessionUser } from '../../../ui/data/session.ts'
import { type Draft, useDraft } from '../../../ui/form/draft.ts'
import { EmailField, TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { useIsLeaving } from '../../../ui/navigation/screen.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import { type Invitation, UseInviteBody } from '../../invites/contract.ts'

/** The page that an invitation link opens. The next sign-in in this browser gets what the invitation grants. */
export function JoinPage() {
  useTitle('Invitation')
  const token = useLocation().hash
  if (useIsLeaving(pages.invite.path)) return <Loading />
  if (!token) return <JoinError why="Part of the link is missing. Open the whole link." />
  return <Invited key={token} token={token} />
}

/** A form that the user has begun to fill in stays if a session starts in another tab. */
function Invited({ token }: { token: string }) {
  const user = useSessionUser()
  const draft = useDraft(blank)
  if (user && !draft.changed) return <Accept token={token} user={user} />
  return <Join token={token} draft={draft} user={user} />
}

const blank = { name: '', email: '', username: '', password: '' }
type JoinProps = { token: string; draft: Draft<typeof blank>; user: SessionUser | null | undefined }

function JoinError({ why }: { why: string }) {
  return (
    <AuthBox title="Invitation">
      <p role="alert">{why}</p>
      <WideLink to="/">Back home</WideLink>
    </AuthBox>
  )
}

/** Called once and never retried; the screen shows the error. */
const once = { retry: false, staleTime: Number.POSITIVE_INFINITY, gcTime: 0, meta: { quiet: true } }

/** Loads who invites and the rights granted, before the page shows anything else. */
const useInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call('POST /api/v1/auth/invitation', { token }),
    ...once,
  })

function InvitationBox({ invitation, children }: { invitation: Invitation; children: ReactNode }) {
  const { by, roles, tags } = invitation
  const rights = shownRoles.flatMap((role) => (roles[role] === 0 ? [] : `${accessLevels[roles[role]]} to ${role}`))
  return (
    <AuthBox title={by ? `${by} invites you to ToolBox` : "You're invited to ToolBox"}>
      <p>
        You'll join {location.host}
        {rights.length > 0 ? ` with ${rights.join(' and ')}` : ''}
        {tags.length > 0 ? `${rights.length > 0 ? ',' : ''} tagged ${tags.join(', ')}` : ''}.
      </p>
      {children}
    </AuthBox>
  )
}

function Accept({ token, user }: { token: string; user: SessionUser }) {
  const navigate = useNavigate()
  const { data: invitation, error } = useInvitation(token)
  const accept = useCall('POST /api/v1/auth/invite', {
    meta: { quiet: true },
    onSuccess: async () => {
      notifySuccess('Invitation accepted.')
      await forgetSession()
      await navigate({ to: '/' })
    },
  })
  const failure = error ?? accept.error
  if (failure) return <JoinError why={reason(failure)} />
  if (!invitation) return <Loading />
  return (
    <InvitationBox invitation={invitation}>
      <p>You're signed in as {user.name}.</p>
      <Button tone="primary" size="wide" disabled={accept.isPending} onClick={() => accept.mutate({ token })}>
        Accept invitation
      </Button>
      <Button size="wide" onClick={() => void signOut(() => {})}>
        Use another account
      </Button>
    </InvitationBox>
  )
}

/** Stores the invitation in this browser, unless it is refused, then offers all sign-in methods. */
function Join(props: JoinProps) {
  const { token, draft } = props
  const { data: invitation, error } = useInvitation(token)
  const opened = useQuery({
    queryKey: ['opened invitation', token],
    queryFn: () => call('POST /api/v1/auth/invite', { token }).then(() => true),
    enabled: invitation !== undefined,
    ...once,
  })
  const { data: providers } = useQuery(providersQuery)
  const leave = useRedirectToProvider('POST /api/auth/sign-in/social', '/auth/signin')
  const [typing, setTyping] = useState(false)
  const failure = error ?? opened.error
  if (failure) return <JoinError why={reason(failure)} />
  if (!invitation || !opened.isSuccess || !providers) return <Loading />
  if (typing || providers.length === 0)
    return (
      <InvitationBox invitation={invitation}>
        <JoinForm {...props} />
        {typing && (
          <Button
            size="wide"
            onClick={() => {
              draft.reset()
              setTyping(false)
            }}
          >
            Sign in another way
          </Button>
        )}
        <HaveAccount />
      </InvitationBox>
    )
  return (
    <InvitationBox invitation={invitation}>
      <p>Choose how you want to sign in.</p>
      <ProviderButtons providers={providers} verb="Continue with" busy={leave.isPending} onChoose={leave.mutate} />
      <Button size="wide" onClick={() => setTyping(true)}>
        Choose a username and password
      </Button>
      <HaveAccount />
    </InvitationBox>
  )
}

const HaveAccount = () => (
  <Link to={pages.signIn.path} className={css.other}>
    I already have an account
  </Link>
)

function JoinForm({ token, draft, user }: JoinProps) {
  const field = inputsOf(draft)
  const form = useSetPassword({
    draft,
    check: (values) => issuesOf(UseInviteBody, { token, ...values }),
    send: async (body) => {
      await call('POST /api/v1/auth/invite', { token, ...body })
      return body.username
    },
    done: 'Your account is ready.',
  })
  return (
    <AuthForm button="Create account" {...form}>
      <TextField {...field('name')} label="Name" autoComplete="name" required autoFocus />
      <EmailField {...field('email')} />
      <UsernameField {...field('username')} hint={usernameRule} />
      <ShownPasswordField {...field('password')} label="Password" />
      {/* Once the account exists, the user is the new one. */}
      {user && !form.busy && (
        <>
          <p role="status">
            You're signed in as {user.name} now. Creating this account signs {user.name} out in this browser.
          </p>
          <Button size="wide" onClick={draft.reset}>
            Continue as {user.name}
          </Button>
        </>
      )}
    </AuthForm>
  )
}
