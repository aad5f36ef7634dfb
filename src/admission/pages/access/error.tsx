import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { AuthBox, WideLink } from '../../../people/pages/auth-box.tsx'
import { pages } from '../../../shared/pages.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { can, type Roles } from '../../../shared/user.ts'
import { callQuery } from '../../../ui/data/call.ts'
import { readDenied, takeReturnUrl, useSessionUser } from '../../../ui/data/session.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import { AskForAccess } from './ask-for-access.tsx'

type SignIn = ComponentType<{ children: ReactNode }>

/** For users who may not see the screen, whose sign-in was refused, or who wait for approval. */
export function ErrorPage({ SignIn }: { SignIn: SignIn }) {
  const user = useSessionUser()
  const navigate = useNavigate()
  const [wasWaiting] = useState(() => user === null && isWaiting())
  const hasSignedIn = wasWaiting && Boolean(user)
  useEffect(() => {
    if (hasSignedIn) void navigate({ href: takeReturnUrl(), replace: true })
  }, [hasSignedIn, navigate])
  return wasWaiting ? <WaitingPage /> : <DeniedPage SignIn={SignIn} />
}

function DeniedPage({ SignIn }: { SignIn: SignIn }) {
  const { error }: { error?: string } = useSearch({ strict: false })
  const denied = error === undefined || error === 'AccessDenied'
  const title = denied ? 'Access denied' : 'Sign-in failed'
  useTitle(title)
  const user = useSessionUser()
  const refusal = useRefusal()
  const wanted = denied && user && !refusal ? readDenied() : null
  const mayAsk = wanted && user && isOfTools(wanted.href) && !can(user, 'Tools', 1)
  useRetryOnNewRoles(wanted !== null, user?.roles)
  const [cameSignedOut] = useState(user === null)
  useLocation()
  // A user who has just signed in here is being redirected to the requested screen, unless it denied them too.
  if (user === null || (cameSignedOut && !readDenied())) return <SignIn>{refusal ?? wordsFor(denied, false)}</SignIn>
  return (
    <AuthBox title={title}>
      <p>{refusal ?? wordsFor(denied, true)}</p>
      {wanted && <p>This page will open automatically once you have access.</p>}
      {mayAsk && <AskForAccess boxed />}
      {refusal && (
        <WideLink to={pages.profile.path} tone="primary">
          Back to your profile
        </WideLink>
      )}
      <WideLink to="/" tone={wanted && !mayAsk ? 'primary' : 'plain'}>
        Back home
      </WideLink>
    </AuthBox>
  )
}

const isOfTools = (href: string) => href.startsWith('/tools/') || href.startsWith(pages.status.path)

/** Opens the denied screen again once the user's roles have changed; its guard decides whether they suffice. */
function useRetryOnNewRoles(isDenied: boolean, roles: Roles | undefined) {
  const navigate = useNavigate()
  const now = roles && JSON.stringify(roles)
  useEffect(() => {
    const denied = isDenied ? readDenied() : null
    if (denied && now !== undefined && now !== denied.roles) void navigate({ href: denied.href, replace: true })
  }, [isDenied, now, navigate])
}

function wordsFor(denied: boolean, signedIn: boolean): string {
  if (!denied) return 'Something went wrong while signing in. Please try again.'
  if (signedIn) return "You need a role that your account doesn't have yet. Ask an admin for access."
  return 'Sign in to see this page.'
}

const refusalCookie = 'toolbox.refusal'

/** The reason for a refused sign-in, from a short-lived cookie; shown once. */
function useRefusal(): string | undefined {
  const [sentence] = useState(readRefusal)
  useEffect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: plain http has no cookie store
    document.cookie = `${refusalCookie}=; Path=/; Max-Age=0; SameSite=Lax`
  }, [])
  return sentence
}

function readRefusal(): string | undefined {
  const cookie = document.cookie.split('; ').find((part) => part.startsWith(`${refusalCookie}=`))
  try {
    return (cookie && decodeURIComponent(cookie.slice(refusalCookie.length + 1))) || undefined
  } catch {
    return undefined
  }
}

const askAgainAfter: Milliseconds = seconds(5)

/** The state of the sign-up made in this browser, polled only while the page is visible. */
const stateQuery = queryOptions({
  ...callQuery('GET /api/v1/auth/access'),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.state === 'none' ? false : askAgainAfter),
  meta: { quiet: true },
})

/** Whether this browser has a sign-up waiting for an admin, by a signed cookie that only the server can read. */
const isWaiting = (): boolean => /toolbox(?:-\d+)?\.waiting=/.test(document.cookie)

/** Shown after a sign-up that needs approval; continues to the sign-in page once it is approved. */
function WaitingPage() {
  // Called to clear the refusal, which repeats this page and would otherwise outlast the wait.
  useRefusal()
  const { state } = useQuery(stateQuery).data ?? { state: 'pending' }
  const navigate = useNavigate()
  useEffect(() => {
    if (state !== 'approved') return
    notifySuccess('Your account was approved. Sign in to continue.')
    void navigate({ to: pages.signIn.path, replace: true })
  }, [state, navigate])
  const isOver = state === 'none'
  useTitle(isOver ? 'Not waiting' : 'Waiting for approval')
  if (isOver)
    return (
      <AuthBox title="No longer waiting">
        <p role="status">Your sign-up is no longer waiting for approval. Sign in to find out more.</p>
        <WideLink to={pages.signIn.path} tone="primary">
          Sign in
        </WideLink>
        <WideLink to="/">Back home</WideLink>
      </AuthBox>
    )
  return (
    <AuthBox title="Waiting for approval">
      <p role="status">
        Your account was created. An admin has to approve it before you can sign in. Once that's done, this page takes
        you to the sign-in page.
      </p>
      <WideLink to={pages.signIn.path}>Use another account</WideLink>
      <WideLink to="/">Back home</WideLink>
    </AuthBox>
  )
}
