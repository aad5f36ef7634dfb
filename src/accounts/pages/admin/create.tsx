import { useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { ActionBar } from '../../../ui/form/actions/action-bar.tsx'
import { SaveButton, warnOfMissing } from '../../../ui/form/actions/save-button.tsx'
import { useDraft } from '../../../ui/form/draft.ts'
import { useLeaveGuard, useSaveKey } from '../../../ui/form/guards.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { refuse } from '../../../ui/form/refuse.ts'
import { useTitle } from '../../../ui/navigation/title.ts'
import { CreateUserBody } from '../../admin/contract.ts'
import { useCreateUser } from './calls.ts'
import { AdminHead } from './head.tsx'
import { modifyUserPath } from './paths.ts'
import { useTakenFields } from './user-form/taken.ts'
import { UserForm } from './user-form/user-form.tsx'
import { blankValues, missingIn, newUserOf } from './user-form/values.ts'

/** A blank user to fill in. */
export function CreateUserPage() {
  useTitle('Create User')
  const navigate = useNavigate()
  const draft = useDraft(blankValues)
  const create = useCreateUser()
  // Until the new user's own screen is there, this one stands, and is done.
  const made = create.isPending || create.isSuccess
  const missing = missingIn(draft.values)
  const taken = useTakenFields(draft.values, blankValues)
  const save = () => {
    if (made) return
    if (missing.length > 0) return warnOfMissing(missing)
    if (taken.warnOf()) return
    const body = newUserOf(draft.values)
    const wrong = issuesOf(CreateUserBody, body)
    draft.refuse(wrong)
    if (Object.keys(wrong).length > 0) return
    create.mutate(body, {
      onSuccess: ({ email }) => {
        draft.replace(draft.values)
        void navigate({ to: modifyUserPath, search: { email } })
      },
      onError: (error) => refuse(draft, error),
    })
  }
  useLeaveGuard(draft.isChanged)
  useSaveKey(save)
  return (
    <>
      <AdminHead title="Create User">
        New users sign in with a provider account that has this email, or with a password.
      </AdminHead>
      <ActionBar label="User actions" changed={draft.changed}>
        <SaveButton missing={missing} busy={made} onSave={save} />
        <Button onClick={() => draft.replace(blankValues)}>
          <RotateCcw size={15} aria-hidden="true" />
          Reset
        </Button>
      </ActionBar>
      <UserForm draft={draft} taken={taken.reasons} />
    </>
  )
}
