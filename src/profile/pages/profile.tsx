import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isPlaceholderEmail } from '../../people/contract.ts'
import { seconds } from '../../shared/time.ts'
import { accessLevels, roleNames, type SessionUser, statusText } from '../../shared/user.ts'
import { useIsPast } from '../../ui/clock.ts'
import { Button, linkClass } from '../../ui/components/button.tsx'
import { dialogButton } from '../../ui/components/modal/dialog-button.tsx'
import { StatusPill, Tag } from '../../ui/components/pill.tsx'
import { Section } from '../../ui/components/section.tsx'
import table from '../../ui/components/small-table.module.css'
import { useCall } from '../../ui/data/call.ts'
import { useSendsMail } from '../../ui/data/server-config.ts'
import { useScreenUser } from '../../ui/data/session.ts'
import { SwitchField } from '../../ui/form/field.tsx'
import { formatAge, formatSince } from '../../ui/format-time.ts'
import { areShortcutsOn, setShortcuts } from '../../ui/shell/open-requests.ts'
import { timeNow } from '../../ui/time-now.ts'
import { Account } from './account.tsx'
import { ownEmailQuery, reloadDetails } from './load.ts'
import own from './own.module.css'
import detailsCss from './profile.module.css'
import { SignInMethods } from './sign-in-methods.tsx'

const EditButton = dialogButton(async () => (await import('./details/edit-modal.tsx')).EditDetailsModal)

export function ProfilePage() {
  const user = useScreenUser()
  return (
    <Account title="User Profile">
      {user && (
        <>
          <Details user={user} />
          <SignInMethods user={user} />
          <Roles user={user} />
          <Preferences />
        </>
      )}
    </Account>
  )
}

function Preferences() {
  const [on, setOn] = useState(areShortcutsOn)
  const change = (next: boolean) => {
    setShortcuts(next)
    setOn(next)
  }
  return (
    <Section title="Preferences" note="Kept in this browser.">
      <SwitchField
        label="Single-key shortcuts"
        hint="Press ? on any page to see them all."
        value={on}
        onChange={change}
      />
    </Section>
  )
}

function Details({ user }: { user: SessionUser }) {
  return (
    <Section title="User Details" note="Admins can see these details.">
      <dl className={detailsCss.facts}>
        <dt>Account Name</dt>
        <dd>{user.name}</dd>
        <dt>Email</dt>
        <dd>
          {user.emailVerified ? (
            user.email
          ) : (
            <>
              {user.email} <StatusPill look="off" text="Unverified" />
              <ConfirmEmail email={user.email} />
            </>
          )}
        </dd>
        <dt>Account Status</dt>
        <dd>{statusText(user.status)}</dd>
        <dt>Tags</dt>
        <dd className={detailsCss.tags}>
          {user.tags.length > 0 ? user.tags.map((tag) => <Tag key={tag} text={tag} />) : '–'}
        </dd>
      </dl>
      <EditButton size="small" aria-label="Edit your details" dialog={{ user }}>
        Edit
      </EditButton>
    </Section>
  )
}

function Roles({ user }: { user: SessionUser }) {
  const assigned = roleNames.filter((role) => user.roles[role] > 0)
  return (
    <Section title="Assigned Roles" note="Only admins can change roles.">
      {assigned.length === 0 && (
        <p className={own.none}>
          No roles assigned yet.{' '}
          <Link to="/" className={linkClass}>
            Ask an admin for access.
          </Link>
        </p>
      )}
      {assigned.length > 0 && (
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">Access Level</th>
            </tr>
          </thead>
          <tbody>
            {assigned.map((role) => (
              <tr key={role}>
                <td>{role}</td>
                <td>{accessLevels[user.roles[role]]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

function ConfirmEmail({ email }: { email: string }) {
  const sendsMail = useSendsMail()
  if (isPlaceholderEmail(email))
    return <p className={detailsCss.confirm}>Someone else confirmed your email as theirs. Enter another one.</p>
  return sendsMail ? <Confirming /> : null
}

function Confirming() {
  const { data } = useQuery({
    ...ownEmailQuery,
    // Poll until the link is sent or expires.
    refetchInterval: ({ state }) => {
      const link = state.data?.link
      return link && link.sentAt === null && link.expiresAt > timeNow() ? seconds(5) : false
    },
  })
  const mail = useCall('POST /api/v1/user/email/link', { onSettled: reloadDetails })
  const link = data?.link
  const isOver = useIsPast(link?.expiresAt ?? null)
  const mayAsk = useIsPast(link?.nextAt ?? null) || link === null
  if (!data || data.verified) return null
  return (
    <>
      <p className={detailsCss.confirm} role="status">
        {link ? describeSentLink(link, isOver, mayAsk) : 'Confirm it so that you can reset a forgotten password.'}
      </p>
      {mayAsk && (
        <Button size="small" disabled={mail.isPending} onClick={() => mail.mutate()}>
          {link ? 'Send a new link' : 'Confirm your email'}
        </Button>
      )}
    </>
  )
}

type SentLink = { sentAt: number | null; expiresAt: number; nextAt: number; note: string | null }

function describeSentLink({ sentAt, expiresAt, nextAt, note }: SentLink, isOver: boolean, mayAsk: boolean): string {
  if (sentAt === null && isOver) return `We couldn't send a link${note ? `: ${note}` : ''}.`
  if (sentAt === null) return note ? `We couldn't send a link yet and will try again: ${note}.` : 'Sending a link…'
  if (!isOver) return `We've sent you a link. Open it by ${formatSince(expiresAt)} to confirm your email.`
  return `The link we sent has expired.${mayAsk ? '' : ` You can send a new one ${formatAge(nextAt)}.`}`
}
