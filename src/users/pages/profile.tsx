import { accessLevels, accountStatuses, roleNames, type SessionUser } from '../../shared/user.ts'
import { useSessionUser } from '../../web/session.ts'
import { useTitle } from '../../web/title.ts'
import { Card, PageHead } from '../../web/ui/page.tsx'
import { Tag } from '../../web/ui/pill.tsx'
import { OwnPassword } from './own-password.tsx'
import css from './profile.module.css'
import { Providers } from './providers.tsx'

/** One's own account, as the server knows it. */
export function ProfilePage() {
  useTitle('User Profile')
  const user = useSessionUser()
  if (!user) return null
  return (
    <>
      <PageHead title={user.name}>Your account on this machine.</PageHead>
      <div className={css.grid}>
        <Details user={user} />
        <Roles user={user} />
        <Providers links={user.providers} />
        {user.credUsername && <OwnPassword username={user.credUsername} />}
      </div>
    </>
  )
}

const statusText = (status: number): string =>
  Object.entries(accountStatuses).find(([level]) => Number(level) === status)?.[1] ?? 'Unknown'

function Details({ user }: { user: SessionUser }) {
  return (
    <Card className={css.part} aria-label="User Details">
      <h2>User Details</h2>
      <dl className={css.facts}>
        <dt>Account Name</dt>
        <dd>{user.name}</dd>
        <dt>Email</dt>
        <dd>{user.email}</dd>
        <dt>Account Status</dt>
        <dd>{statusText(user.status)}</dd>
        <dt>Tags</dt>
        <dd className={css.tags}>
          {user.tags.length > 0 ? user.tags.map((tag) => <Tag key={tag} text={tag} />) : '–'}
        </dd>
      </dl>
    </Card>
  )
}

function Roles({ user }: { user: SessionUser }) {
  const held = roleNames.filter((role) => user.roles[role] > 0)
  return (
    <Card className={css.part} aria-label="Assigned Roles">
      <h2>Assigned Roles</h2>
      {held.length === 0 && <p className={css.none}>No role has been assigned to you yet. An admin can do that.</p>}
      {held.length > 0 && (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">Access Level</th>
            </tr>
          </thead>
          <tbody>
            {held.map((role) => (
              <tr key={role}>
                <td>{role}</td>
                <td>{accessLevels[user.roles[role]]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
