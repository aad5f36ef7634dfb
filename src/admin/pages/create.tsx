import { AdminHead } from '../../people/pages/admin-head.tsx'
import { pages } from '../../shared/pages.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { missingIn } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { useNavigatePreloaded } from '../../ui/navigation/screen.ts'
import { CreateUserBody } from '../contract.ts'
import { useCreateUser } from './calls.ts'
import { useConfirmPromotion } from './use-confirm-promotion.tsx'
import { useTakenFields } from './user-form/taken.ts'
import { UserForm } from './user-form/user-form.tsx'
import { blankValues, newUserOf, userFields } from './user-form/values.ts'

export function CreateUserPage() {
  const openUser = useNavigatePreloaded()
  const draft = useDraft(blankValues)
  const create = useCreateUser()
  const takenFields = useTakenFields(draft.values, blankValues)
  const promotion = useConfirmPromotion({
    who: draft.values.name.trim(),
    from: 0,
    to: draft.values.roles.Admin,
    save: () => editor.save(),
  })
  const editor = useEditor({
    draft,
    missing: missingIn(userFields, draft.values),
    isBlocked: () => takenFields.warnIfTaken() || promotion.isUnsure(),
    body: () => newUserOf(draft.values),
    check: (body) => issuesOf(CreateUserBody, body),
    mutation: create,
    once: true,
    onSaved: ({ id, email }) => {
      draft.handOver(id)
      void openUser({ to: pages.editUser.path, search: { email } })
    },
  })
  return (
    <>
      <AdminHead title="Create User">
        New users sign in with a provider account that has this email, or with a password.
      </AdminHead>
      <ActionBar label="User actions" editor={editor} onReset={draft.reset} />
      {promotion.question}
      <UserForm draft={draft} takenReasons={takenFields.reasons} />
    </>
  )
}
