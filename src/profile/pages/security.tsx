import { useInfiniteQuery } from '@tanstack/react-query'
import { type Activity, auditActions } from '../../people/audit/contract.ts'
import { hasPassword } from '../../people/contract.ts'
import { changeText } from '../../people/pages/changes.ts'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Moment } from '../../ui/components/moment.tsx'
import { Tag } from '../../ui/components/pill.tsx'
import { Section } from '../../ui/components/section.tsx'
import { ShowOlder } from '../../ui/components/show-older.tsx'
import table from '../../ui/components/small-table.module.css'
import { SmallTable, useFold } from '../../ui/components/small-table.tsx'
import { useScreenUser } from '../../ui/data/session.ts'
import { Account } from './account.tsx'
import { activityQuery } from './load.ts'
import own from './own.module.css'
import { Sessions } from './sessions.tsx'
import { OwnPassword } from './sign-in-methods.tsx'
import { Passkeys, TwoStep } from './two-step/two-step.tsx'

export function SecurityPage() {
  const user = useScreenUser()
  return (
    <Account title="Security">
      {user?.credUsername && hasPassword(user) && <OwnPassword username={user.credUsername} />}
      <TwoStep />
      <Passkeys />
      <Sessions />
      <RecentActivity />
    </Account>
  )
}

/** The user's actions and attempts to sign in to the account, so that the user can spot a stranger's. */
function RecentActivity() {
  const query = useInfiniteQuery(activityQuery)
  const { data } = query
  const { visibleItems, more } = useFold(data ?? [])
  return (
    <Section title="Recent Activity" note="Sign-ins and changes to your account.">
      <LoadFailed queries={[query]} />
      {data?.length === 0 && <p className={own.none}>Nothing yet.</p>}
      {visibleItems.length > 0 && (
        <SmallTable heads={['What', 'When', 'Device']}>
          {visibleItems.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </SmallTable>
      )}
      {more}
      {!more && <ShowOlder query={query}>Load older activity</ShowOlder>}
    </Section>
  )
}

function Row({ entry }: { entry: Activity }) {
  const details = detailsOf(entry)
  return (
    <tr>
      <td className={own.what}>
        <span className={table.lead}>
          <span>{auditActions[entry.action]}</span>
          {!entry.byYou && <Tag text="By an admin" />}
        </span>
        {details !== '–' && <small className={own.none}>{details}</small>}
      </td>
      <td data-label="When">
        <Moment at={entry.at} />
      </td>
      <td data-label="Device">
        <span className={own.device}>
          {entry.device ?? '–'}
          {entry.address && <small className={own.none}>{entry.address}</small>}
        </span>
      </td>
    </tr>
  )
}

function detailsOf(entry: Activity): string {
  // Omit the values that the account was created with: the profile shows the current ones.
  const changes = entry.action === 'user.create' ? '–' : changeText(entry)
  if (entry.target === null) return changes
  return changes === '–' ? entry.target : `${entry.target}: ${changes}`
}
