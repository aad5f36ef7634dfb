import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Pencil, Upload, UserPlus } from 'lucide-react'
import { Suspense, useMemo } from 'react'
import { Waiting } from '../../admission/pages/waiting.tsx'
import { AdminHead } from '../../people/pages/admin-head.tsx'
import { pages } from '../../shared/pages.ts'
import { can } from '../../shared/user.ts'
import { buttonClass, IconButton, iconButtonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { dialogButton } from '../../ui/components/modal/dialog-button.tsx'
import { useProfiles } from '../../ui/data/server-config.ts'
import { useScreenUser } from '../../ui/data/session.ts'
import { lazyPart } from '../../ui/navigation/lazy.ts'
import { CsvButton } from '../../ui/table/csv-button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useList } from '../../ui/table/list-state.ts'
import { Chips } from '../../ui/table/search-box.tsx'
import { useSelection } from '../../ui/table/selection/selection.ts'
import { useRows } from '../../ui/table/use-rows.ts'
import type { UserKind } from '../contract.ts'
import { userList } from './calls.ts'
import { kinds, userColumns, usernameColumn } from './columns.tsx'

const ImportButton = dialogButton(async () => (await import('./import-users.tsx')).ImportUsersModal, { isKept: true })
const UserBar = lazyPart(async () => (await import('./bulk/bar.tsx')).UserBar)

export function UserListPage() {
  const mayEdit = can(useScreenUser(), 'Admin', 2)
  const navigate = useNavigate()
  const profiles = useProfiles()
  const list = useList(useMemo(() => userColumns(profiles), [profiles]))
  const source = useRows(userList, list)
  const selection = useSelection(list.state)
  const chosenKind = Object.keys(kinds).find((kind): kind is UserKind => kind === list.state.filters.show)
  return (
    <>
      <AdminHead title="List Users" acts={mayEdit && <CreateLink />} />
      {mayEdit && <Waiting />}
      <DataTable
        name="users"
        caption="Users"
        list={list}
        source={source}
        chips={
          <>
            <Chips
              label="Show users"
              kinds={kinds}
              chosen={chosenKind}
              onChoose={(kind) => list.filter({ show: kind ?? '' })}
            />
            {mayEdit && (
              <ImportButton size="small">
                <Upload size={14} aria-hidden="true" />
                Import…
              </ImportButton>
            )}
          </>
        }
        {...(mayEdit && { selection })}
        selectionBar={
          <Suspense>
            <UserBar selection={selection} source={source} />
          </Suspense>
        }
        tools={
          source.found > 0 && (
            <CsvButton
              name="users"
              columns={[...list.columns.filter(({ filterOnly }) => !filterOnly), usernameColumn]}
              rows={source.allRows}
            />
          )
        }
        onOpen={mayEdit ? ({ email }) => void navigate({ to: pages.editUser.path, search: { email } }) : undefined}
        actions={(user) => <RowActions email={user.email} mayEdit={mayEdit} />}
        empty={
          <>
            <strong>No users yet</strong>
            <span>Users appear here after they sign up.</span>
          </>
        }
      />
    </>
  )
}

const CreateLink = () => (
  <Link to={pages.createUser.path} className={buttonClass({ tone: 'primary' })}>
    <UserPlus size={15} aria-hidden="true" />
    Create User
  </Link>
)

function RowActions({ email, mayEdit }: { email: string; mayEdit: boolean }) {
  return (
    <>
      <IconButton label={`Copy Email ${email}`} title="Copy Email" onClick={() => void copy(email)}>
        <Copy size={15} aria-hidden="true" />
      </IconButton>
      {mayEdit && (
        <Link
          to={pages.editUser.path}
          search={{ email }}
          className={iconButtonClass}
          aria-label={`Edit ${email}`}
          title="Edit"
        >
          <Pencil size={15} aria-hidden="true" />
        </Link>
      )}
    </>
  )
}
