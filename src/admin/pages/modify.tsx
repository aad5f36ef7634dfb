import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AdminHead } from '../../people/pages/admin-head.tsx'
import { pages } from '../../shared/pages.ts'
import { Loading } from '../../ui/components/logo.tsx'
import { formRecordOf, notFoundMessage } from '../../ui/data/query.ts'
import { useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { missingIn } from '../../ui/form/fields.ts'
import { FindForm } from '../../ui/form/find-form.tsx'
import { issuesOf } from '../../ui/form/issues.ts'
import { PatchUserBody, type User } from '../contract.ts'
import { forgetUser, useChangeUser, useRemoveUser, userQuery } from './calls.ts'
import { useConfirmPromotion } from './use-confirm-promotion.tsx'
import { useTakenFields } from './user-form/taken.ts'
import { UserForm } from './user-form/user-form.tsx'
import { changesOf, formatUserValues, mergeUserValues, userFields, valuesOfUser } from './user-form/values.ts'

export function ModifyUserPage() {
  const navigate = useNavigate()
  const { email }: { email?: string } = useSearch({ strict: false })
  const query = useQuery({
    ...userQuery(email ?? ''),
    enabled: Boolean(email),
    // A brief network loss must not reset a form that is being filled in.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const isLoading = query.isLoading && query.errorUpdateCount === 0
  const slow = useSlow(isLoading)
  const find = (wanted: string) => {
    if (wanted === email) void query.refetch()
    else void navigate({ to: pages.editUser.path, search: { email: wanted } })
  }
  const user = email ? formRecordOf(query) : undefined
  return (
    <>
      <AdminHead title="Edit User">
        {user ? 'Edit profile, roles and sign-in methods.' : 'Find a user by email to edit or delete them.'}
      </AdminHead>
      {user && <UserEditor key={user.id} user={user} />}
      {!user && isLoading && slow && <Loading />}
      {!user && !isLoading && (
        <FindForm
          key={email}
          label="Enter your User Email"
          wanted={email ?? ''}
          error={notFoundMessage(query)}
          onFind={find}
        />
      )}
    </>
  )
}

const consequenceFor = (entries: number) => {
  if (entries === 0) return 'This user has no entries.'
  return entries === 1 ? '1 entry will be deleted too.' : `${entries} entries will be deleted too.`
}

function UserEditor({ user }: { user: User }) {
  const navigate = useNavigate()
  const change = useChangeUser()
  const edits = useEdits(user, valuesOfUser, mergeUserValues)
  const { draft, latest } = edits
  const takenFields = useTakenFields(draft.values, valuesOfUser(latest), user.id)
  const leaveFor = async (search: { email?: string }) => {
    await navigate({ to: pages.editUser.path, search, ignoreBlocker: true })
    if (search.email !== user.email) forgetUser(user.email)
  }
  /** A new email changes the page's URL, which contains it. */
  const goTo = ({ email }: User) => {
    if (email !== user.email) void leaveFor({ email })
  }
  const bodyOf = (ifUpdatedAt: number) => ({
    id: user.id,
    ifUpdatedAt,
    ...changesOf(valuesOfUser(latest), draft.values),
  })
  const promotion = useConfirmPromotion({
    who: latest.name,
    from: latest.roles.Admin,
    to: draft.values.roles.Admin,
    save: () => editor.save(),
  })
  const editor = useEditor({
    draft,
    missing: missingIn(userFields, draft.values),
    isBlocked: () => takenFields.warnIfTaken() || promotion.isUnsure(),
    body: () => bodyOf(edits.began.updatedAt),
    check: (body) => issuesOf(PatchUserBody, body),
    mutation: change,
    onSaved: (outcome) => {
      const saved = edits.take(outcome)
      if (saved) goTo(saved)
    },
    onFailed: edits.fail,
  })
  const toBlank = () => {
    draft.reset()
    void leaveFor({})
  }
  const remove = useRemoveUser()
  return (
    <>
      <ActionBar label="User actions" editor={editor} onReset={toBlank}>
        <DeleteButton
          id={latest.email}
          noun="user"
          consequence={consequenceFor(latest.entries)}
          busy={remove.isPending}
          onDelete={() => remove.mutateAsync({ email: latest.email, id: user.id })}
          onDeleted={toBlank}
        />
      </ActionBar>
      <Conflict
        edits={edits}
        noun="user"
        formatValues={formatUserValues}
        busy={editor.busy}
        onLoad={() => {
          draft.reset()
          goTo(latest)
        }}
        onSave={(updatedAt) => void editor.send(bodyOf(updatedAt))}
      />
      {promotion.question}
      <UserForm draft={draft} takenReasons={takenFields.reasons} saved={latest} />
    </>
  )
}
