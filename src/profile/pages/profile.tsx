import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Activity, auditActions } from '../../people/audit/contract.ts'
import { changeText } from '../../people/pages/changes.ts'
import { ownTabsFor } from '../../people/pages/own-tabs.ts'
import { Button } from '../../ui/components/button.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import { PageHead, Part } from '../../ui/components/page.tsx'
import { Tag } from '../../ui/components/pill.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable } from '../../ui/components/small-table.tsx'
import { useScreenUser } from '../../ui/data/session.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { Details, Roles } from './details/details.tsx'
import { useFold } from './fold.tsx'
import { Keys } from './keys.tsx'
import { activityQuery } from './load.ts'
import css from './own.module.css'
import { OwnPassword, SignInMethods } from './sign-in-methods.tsx'
import { Sessions } from './sessions.tsx'
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
      <div className={css.cards}>
        <div className={user.credUsername ? css.stack : css.pair}>
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
    <Part className={css.wide} aria-label="Recent Activity">
      <h2>Recent Activity</h2>
      {data?.length === 0 && <p className={css.none}>Nothing yet.</p>}
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
