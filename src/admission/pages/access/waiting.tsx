import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AuthBox } from '../../../people/pages/auth-box.tsx'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { buttonClass } from '../../../ui/components/button.tsx'
import { api } from '../../../ui/data/api.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { succeed } from '../../../ui/toasts.ts'

const askAgainAfter: Milliseconds = seconds(5)

/** Whether the account that this browser has signed up for may sign in by now. Asked only while somebody looks at it. */
const stateQuery = queryOptions({
  queryKey: ['waiting'],
  queryFn: async () => (await api.get<{ state: 'pending' | 'approved' | 'none' }>('/api/v1/auth/access')).data.state,
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data === 'none' ? false : askAgainAfter),
  meta: { quiet: true },
})

/** Whether this browser has signed up and waits for an admin: a signed cookie says so, of which only the server makes sense. */
export const isWaiting = (): boolean => document.cookie.includes('toolbox.waiting=')

/** Shown to whoever signed up while that needs approval; goes on to the sign-in page once they are approved. */
export function WaitingPage() {
  const { data: state = 'pending' } = useQuery(stateQuery)
  const navigate = useNavigate()
  useEffect(() => {
    if (state !== 'approved') return
    succeed('Your account was approved. Sign in to continue.')
    void navigate({ to: '/auth/signin/{-$user}', replace: true })
  }, [state, navigate])
  return state === 'none' ? <NotWaiting /> : <Waiting />
}

function Waiting() {
  useTitle('Waiting for approval')
  return (
    <AuthBox title="Waiting for approval">
      <p role="status">
        Your account was created. An admin has to approve it before you can sign in. Once that's done, this page takes
        you to the sign-in page.
      </p>
      <Link to="/auth/signin/{-$user}" className={buttonClass({ size: 'wide' })}>
        Use another account
      </Link>
      <Link to="/" className={buttonClass({ size: 'wide' })}>
        Back home
      </Link>
    </AuthBox>
  )
}

function NotWaiting() {
  useTitle('Not waiting')
  return (
    <AuthBox title="No longer waiting">
      <p role="status">Your sign-up is no longer waiting for approval. Sign in to find out more.</p>
      <Link to="/auth/signin/{-$user}" className={buttonClass({ tone: 'primary', size: 'wide' })}>
        Sign in
      </Link>
      <Link to="/" className={buttonClass({ size: 'wide' })}>
        Back home
      </Link>
    </AuthBox>
  )
}
