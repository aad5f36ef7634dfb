import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Activity, auditActions } from '../../people/audit/contract.ts'
import { isLost } from '../../people/contract.ts'
import { changeText } from '../../people/pages/changes.ts'
import { ownTabsFor } from '../../people/pages/own-tabs.ts'
import { seconds } from '../../shared/time.ts'
import { accessLevels, accountStatuses, roleNames, type SessionUser } from '../../shared/user.ts'
import { useIsPast } from '../../ui/clock.ts'
import { Button } from '../../ui/components/button.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import { PageHead, Part, PartHead } from '../../ui/components/page.tsx'
import { StatusPill, Tag } from '../../ui/components/pill.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable } from '../../ui/components/small-table.tsx'
import { useCall } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { useSendsMail } from '../../ui/data/server-config.ts'
import { useScreenUser } from '../../ui/data/session.ts'
import { formatAge, formatSince } from '../../ui/format-time.ts'
import { lazyDialog } from '../../ui/navigation/lazy.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { timeNow } from '../../ui/time-now.ts'
import { useFold } from './fold.tsx'
import { Keys } from './keys.tsx'
import { activityQuery, ownEmailQuery, reloadDetails } from './load.ts'
import own from './own.module.css'
import detailsCss from './profile.module.css'
import { Sessions } from './sessions.tsx'
import { OwnPassword, SignInMethods } from './sign-in-methods.tsx'
import { Passkeys, TwoStep } from './two-step/two-step.tsx'

/** The user's own account: details, sign-in methods, sessions, API keys, further cards and recent activity. */
export function ProfilePage({ children }: { children?: ReactNode }) {
  useTitle('User Profile')
  const user = useScreenUser()
  if (!user) return null
  return (
    <>
      <PageHead title={user.name} tabs={ownTabsFor(user)} tabsLabel="Your account">
        Your account
      </PageHead>
      <div className={own.cards}>
        <div className={user.credUsername ? own.stack : own.pair}>
          <Details user={user} />
          <Roles user={user} />
        </div>
        {user.credUsername && <OwnPassword username={user.credUsername} />}
        <SignInMethods user={user} />
        <TwoStep />
        <Passkeys />
        <Sessions />
        <Keys />
        {children}
        <RecentActivity />
      </div>
    </>
  )
}

/** What the user did, and attempts to sign in to their account, so that they notice what wasn't them. */
function RecentActivity() {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(activityQuery)
  const { shown, more } = useFold(data ?? [])
  return (
    <Part className={own.wide} aria-label="Recent Activity">
      <h2>Recent Activity</h2>
      {data?.length === 0 && <p className={own.none}>Nothing yet.</p>}
      {shown.length > 0 && (
        <SmallTable heads={['What', 'Details', 'When', 'Device', 'Address']}>
          {shown.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </SmallTable>
      )}
      {more}
      {!more && hasNextPage && (
        <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load older activity
        </Button>
      )}
    </Part>
  )
}

function Row({ entry }: { entry: Activity }) {
  const details = detailsOf(entry)
  return (
    <tr>
      <td>
        <span className={table.lead}>
          <span>{auditActions[entry.action]}</span>
          {!entry.byYou && <Tag text="By an admin" />}
        </span>
      </td>
      <td data-label="Details" title={details}>
        {details}
      </td>
      <td data-label="When">
        <Moment at={entry.at} />
      </td>
      <td data-label="Device">{entry.device ?? '–'}</td>
      <td data-label="Address">{entry.address ?? '–'}</td>
    </tr>
  )
}

function detailsOf(entry: Activity): string {
  // With what an account was created stands above.
  const changes = entry.action === 'user.create' ? '–' : changeText(entry)
  if (entry.target === null) return changes
  return changes === '–' ? entry.target : `${entry.target}: ${changes}`
}

const statusText = (status: number): string =>
  Object.entries(accountStatuses).find(([level]) => Number(level) === status)?.[1] ?? 'Unknown'

function Details({ user }: { user: SessionUser }) {
  return (
    <Part aria-label="User Details">
      <PartHead>
        <h2>User Details</h2>
        <EditDetails user={user} />
      </PartHead>
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
    </Part>
  )
}

/** The user's roles; one without access isn't shown. */
function Roles({ user }: { user: SessionUser }) {
  const assigned = roleNames.filter((role) => user.roles[role] > 0)
  return (
    <Part aria-label="Assigned Roles">
      <h2>Assigned Roles</h2>
      {assigned.length === 0 && (
        <p className={own.none}>
          No roles assigned yet. <Link to="/">Ask an admin for access.</Link>
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
    </Part>
  )
}

const useEditModal = lazyDialog(async () => (await import('./details/edit-modal.tsx')).EditDetailsModal)

/** The button that changes one's own name and email. */
function EditDetails({ user }: { user: SessionUser }) {
  const { Dialog, turn, open, close, opener } = useEditModal()
  return (
    <>
      <Button size="small" aria-label="Edit your details" {...opener}>
        Edit
      </Button>
      {Dialog && <Dialog key={turn} open={open} user={user} onClose={close} />}
    </>
  )
}

/** How an unverified email is confirmed, and what became of the link. */
function ConfirmEmail({ email }: { email: string }) {
  const sendsMail = useSendsMail()
  if (isLost(email))
    return <p className={detailsCss.confirm}>Someone else confirmed your email as theirs. Enter another one.</p>
  return sendsMail ? <Confirming /> : null
}

function Confirming() {
  const { data } = useQuery({
    ...ownEmailQuery,
    // Until it is known whether the link has left.
    refetchInterval: ({ state }) => {
      const link = state.data?.link
      return link && link.sentAt === null && link.expiresAt > timeNow() ? seconds(5) : false
    },
  })
  const mail = useCall('POST /api/v1/user/email/link', {
    onSuccess: (email) => queryClient.setQueryData(ownEmailQuery.queryKey, email),
    onError: reloadDetails,
  })
  const link = data?.link
  const isOver = useIsPast(link?.expiresAt ?? null)
  const mayAsk = useIsPast(link?.nextAt ?? null) || link === null
  if (!data || data.verified) return null
  return (
    <>
      <p className={detailsCss.confirm} role="status">
        {link ? inWords(link, isOver, mayAsk) : 'Confirm it to be able to reset a forgotten password.'}
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

function inWords({ sentAt, expiresAt, nextAt, note }: SentLink, isOver: boolean, mayAsk: boolean): string {
  if (sentAt === null && isOver) return `We couldn't send a link${note ? `: ${note}` : ''}.`
  if (sentAt === null) return note ? `We couldn't send a link yet and will try again: ${note}.` : 'Sending a link…'
  if (!isOver) return `We've sent you a link. Open it by ${formatSince(expiresAt)} to confirm your email.`
  return `The link we sent has expired.${mayAsk ? '' : ` You can send a new one ${formatAge(nextAt)}.`}`
}
