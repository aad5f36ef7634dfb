import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { hasPassword } from '../../people/contract.ts'
import css from '../../people/pages/auth.module.css'
import { pages } from '../../shared/pages.ts'
import { seconds } from '../../shared/time.ts'
import type { SessionUser } from '../../shared/user.ts'
import { Button, buttonClass, linkClass } from '../../ui/components/button.tsx'
import { Form } from '../../ui/components/form.tsx'
import { Modal, ModalActions } from '../../ui/components/modal/modal.tsx'
import { reason } from '../../ui/data/api.ts'
import { useCall } from '../../ui/data/call.ts'
import { askToSignIn, postponeSignIn, setAuthor } from '../../ui/data/editing.ts'
import { queryClient } from '../../ui/data/query.ts'
import { fetchSession, sessionQuery } from '../../ui/data/session.ts'
import { TextField } from '../../ui/form/field.tsx'
import { providersQuery } from './calls.ts'
import { UsernameField } from './form.tsx'

const signInPath = '/auth/signin'

type Props = { author: SessionUser; user: SessionUser | null; isPostponed: boolean }

/** Covers a form with unsaved changes if its author is signed out, until they return or another user takes over. */
export function SignInAgainModals({ author, user, isPostponed }: Props) {
  const isOther = user !== null && user.id !== author.id
  // The user may sign in again in another tab.
  useQuery({ ...sessionQuery, refetchInterval: user === null && !isPostponed ? seconds(2) : false })
  if (isOther) return <OtherModal author={author} user={user} />
  return <SignInModal key={String(user === null)} open={user === null && !isPostponed} author={author} />
}

function SignInModal({ open, author }: { open: boolean; author: SessionUser }) {
  return (
    <Modal
      open={open}
      onClose={postponeSignIn}
      title="You've been signed out"
      description={
        hasPassword(author)
          ? 'Your unsaved changes are still here. Sign in again to save them.'
          : 'Your unsaved changes are still here. Sign in again in a new tab, then come back to save them.'
      }
    >
      {hasPassword(author) ? <PasswordForm author={author} /> : <NewTab />}
    </Modal>
  )
}

const NewTab = ({ to = signInPath }) => (
  <ModalActions>
    <Button onClick={postponeSignIn}>Not now</Button>
    <a className={buttonClass({ tone: 'primary' })} href={to} target="_blank" rel="noopener">
      {to === signInPath ? 'Open sign-in page' : 'Enter a code in a new tab'}
    </a>
  </ModalActions>
)

function PasswordForm({ author }: { author: SessionUser }) {
  const form = useId()
  const [username, setUsername] = useState(author.credUsername ?? '')
  const { data: offered = [] } = useQuery(providersQuery)
  const hasOtherWay = author.providers.some(({ providerId }) => offered.some(({ id }) => id === providerId))
  const [password, setPassword] = useState('')
  const [isHalfWay, setHalfWay] = useState(false)
  const signIn = useCall('POST /api/auth/sign-in/username', {
    meta: { quiet: true },
    onSuccess: async (answer) => {
      if ('twoFactorRedirect' in answer) setHalfWay(true)
      else await fetchSession()
    },
  })
  if (isHalfWay) return <NewTab to={pages.secondStep.path} />
  return (
    <>
      <div className={css.again}>
        <Form
          id={form}
          className={css.form}
          onSend={() => {
            if (!signIn.isPending) signIn.mutate({ username, password })
          }}
        >
          <UsernameField value={username} onChange={setUsername} />
          <TextField
            label="Password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
            value={password}
            error={signIn.error ? reason(signIn.error) : undefined}
            onChange={setPassword}
          />
        </Form>
        {hasOtherWay && (
          <a href={signInPath} target="_blank" rel="noopener" className={linkClass}>
            Use another sign-in method in a new tab
          </a>
        )}
      </div>
      <ModalActions>
        <Button onClick={postponeSignIn}>Not now</Button>
        <button type="submit" form={form} className={buttonClass({ tone: 'primary' })} disabled={signIn.isPending}>
          Sign in
        </button>
      </ModalActions>
    </>
  )
}

const stay = () => {}

/** Shown when another user is signed in: saves nothing in that user's name without confirmation. */
function OtherModal({ author, user }: { author: SessionUser; user: SessionUser }) {
  const switchBack = useCall('POST /api/auth/sign-out', {
    onSuccess: () => {
      askToSignIn()
      queryClient.setQueryData(sessionQuery.queryKey, null)
    },
  })
  return (
    <Modal
      open
      onClose={stay}
      title={`You're signed in as ${user.name}`}
      description={`The unsaved changes on this page were made by ${author.name}. Save them as ${user.name}, or switch back, which signs out ${user.name}.`}
    >
      <ModalActions>
        <Button onClick={() => setAuthor(user)}>Continue anyway</Button>
        <Button tone="primary" disabled={switchBack.isPending} onClick={() => switchBack.mutate()}>
          Switch back
        </Button>
      </ModalActions>
    </Modal>
  )
}
