import { Link } from '@tanstack/react-router'
import { accessLevels, accountStatuses, roleNames, type SessionUser } from '../../../shared/user.ts'
import { Button } from '../../../ui/components/button.tsx'
import { Part, PartHead } from '../../../ui/components/page.tsx'
import { StatusPill, Tag } from '../../../ui/components/pill.tsx'
import table from '../../../ui/components/small-table.module.css'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import own from '../own.module.css'
import css from '../profile.module.css'
import { ConfirmEmail } from './confirm-email.tsx'

const statusText = (status: number): string =>
  Object.entries(accountStatuses).find(([level]) => Number(level) === status)?.[1] ?? 'Unknown'

export function Details({ user }: { user: SessionUser }) {
  return (
    <Part aria-label="User Details">
      <PartHead>
        <h2>User Details</h2>
        <EditDetails user={user} />
      </PartHead>
      <dl className={css.facts}>
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
        <dd className={css.tags}>
          {user.tags.length > 0 ? user.tags.map((tag) => <Tag key={tag} text={tag} />) : '–'}
        </dd>
      </dl>
    </Part>
  )
}

/** The user's roles; one without access isn't shown. */
export function Roles({ user }: { user: SessionUser }) {
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

const useEditModal = lazyDialog(async () => (await import('./edit-modal.tsx')).EditDetailsModal)

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
