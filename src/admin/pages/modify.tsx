import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AdminHead } from '../../people/pages/admin-head.tsx'
import { modifyUserPath } from '../../people/pages/admin-paths.ts'
import { Loading } from '../../ui/components/page/logo.tsx'
import { foundBy } from '../../ui/data/query.ts'
import { useSlow } from '../../ui/debounce.ts'
import { FindForm } from '../../ui/form/address/find-form.tsx'
import { useTitle } from '../../ui/navigation/title.ts'
import { userQuery } from './calls.ts'
import { UserEditor } from './user-form/user-editor.tsx'

/** Finds a user by email, to edit or delete them. */
export function ModifyUserPage() {
  useTitle('Edit User')
  const navigate = useNavigate()
  const { email }: { email?: string } = useSearch({ strict: false })
  const query = useQuery({
    ...userQuery(email ?? ''),
    enabled: Boolean(email),
    // A short loss of the network must not replace a form that is being filled in.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const isLoading = query.isLoading && query.errorUpdateCount === 0
  const slow = useSlow(isLoading)
  const find = (wanted: string) => {
    if (wanted === email) void query.refetch()
    else void navigate({ to: modifyUserPath, search: { email: wanted } })
  }
  const user = email ? foundBy(query) : undefined
  return (
    <>
      <AdminHead title="Edit User">
        {user ? 'Edit profile, roles and sign-in methods.' : 'Find a user by email to edit or delete them.'}
      </AdminHead>
      {user && <UserEditor key={user.id} user={user} />}
      {!user && isLoading && slow && <Loading />}
      {!user && !isLoading && <FindForm key={email} label="Enter your User Email" wanted={email ?? ''} onFind={find} />}
    </>
  )
}
