import { Link } from '@tanstack/react-router'
import { Copy, Pencil, UserPlus } from 'lucide-react'
import { can } from '../../../shared/user.ts'
import { buttonClass, IconButton, iconButtonClass } from '../../../ui/components/button.tsx'
import { copy } from '../../../ui/components/copy.ts'
import { StatusPill } from '../../../ui/components/pill.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { formatAge, formatTime } from '../../../ui/format-time.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import type { Column } from '../../../ui/table/column.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { useList } from '../../../ui/table/list-state.ts'
import { useRows } from '../../../ui/table/rows/use-rows.ts'
import type { ListedUser } from '../../admin/contract.ts'
import css from './admin.module.css'
import { userList } from './calls.ts'
import { AdminHead } from './head.tsx'
import { createUserPath, modifyUserPath } from './paths.ts'
import { Waiting } from './waiting.tsx'

const columns: readonly Column<ListedUser>[] = [
  {
    key: 'id',
    title: 'User ID',
    filter: 'fuzzy',
    value: (user) => user.id,
    text: (user) => user.id,
    show: (user) => <code>{user.id}</code>,
  },
  {
    key: 'lastUsageTimestamp',
    title: 'Last Usage Timestamp',
    filter: 'fuzzy',
    value: (user) => user.lastUsageTimestamp,
    text: (user) => formatTime(user.lastUsageTimestamp),
    tip: (user) => (user.lastUsageTimestamp === null ? 'Never used' : formatAge(user.lastUsageTimestamp)),
  },
  {
    key: 'name',
    title: 'Account Name',
    lead: true,
    filter: 'fuzzy',
    value: (user) => user.name,
    text: (user) => user.name,
    show: ({ name, secondFactor }) => (secondFactor ? <Marked text={name} look="ok" mark="Two-step" /> : name),
  },
  {
    key: 'email',
    title: 'Email',
    filter: 'fuzzy',
    value: (user) => user.email,
    text: (user) => user.email,
    show: ({ email, emailVerified }) => (emailVerified ? email : <Marked text={email} look="off" mark="Unverified" />),
  },
]

/** A text and its mark, which stays where the text is truncated. */
const Marked = ({ text, look, mark }: { text: string; look: 'ok' | 'off'; mark: string }) => (
  <span className={css.marked}>
    <span>{text}</span> <StatusPill look={look} text={mark} />
  </span>
)

/** Lists everyone who has an account. */
export function UserListPage() {
  useTitle('List Users')
  const mayEdit = can(useSessionUser(), 'Admin', 2)
  const list = useList(columns)
  const source = useRows(userList, list)
  return (
    <>
      <AdminHead title="List Users">Everyone with an account on this ToolBox.</AdminHead>
      {mayEdit && <Waiting />}
      <DataTable
        name="users"
        caption="Users"
        list={list}
        source={source}
        actions={(user) => <RowActions email={user.email} mayEdit={mayEdit} />}
        empty={
          <>
            <strong>No users yet</strong>
            <span>Users appear here after they sign up.</span>
            {mayEdit && (
              <Link to={createUserPath} className={buttonClass({ tone: 'primary' })}>
                <UserPlus size={16} aria-hidden="true" />
                Create User
              </Link>
            )}
          </>
        }
      />
    </>
  )
}

function RowActions({ email, mayEdit }: { email: string; mayEdit: boolean }) {
  return (
    <>
      <IconButton label="Copy Email" onClick={() => void copy(email)}>
        <Copy size={15} aria-hidden="true" />
      </IconButton>
      {mayEdit && (
        <Link to={modifyUserPath} search={{ email }} className={iconButtonClass} aria-label="Edit" title="Edit">
          <Pencil size={15} aria-hidden="true" />
        </Link>
      )}
    </>
  )
}
