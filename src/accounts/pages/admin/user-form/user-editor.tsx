import { useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { ActionBar } from '../../../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../../../ui/form/actions/delete-button.tsx'
import { SaveButton, warnOfMissing } from '../../../../ui/form/actions/save-button.tsx'
import { Conflict } from '../../../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../../../ui/form/conflict/edits.ts'
import { useDraft, useFollow } from '../../../../ui/form/draft.ts'
import { useLeaveGuard, useSaveKey } from '../../../../ui/form/guards.ts'
import { issuesOf } from '../../../../ui/form/issues.ts'
import { refuse } from '../../../../ui/form/refuse.ts'
import { PatchUserBody, type User } from '../../../admin/contract.ts'
import { useChangeUser, useForgetUser, useRemoveUser } from '../calls.ts'
import { modifyUserPath } from '../paths.ts'
import { useTakenFields } from './taken.ts'
import { UserForm } from './user-form.tsx'
import { changesOf, mergedValues, missingIn, valuesOf, wordsOf } from './values.ts'

const gone = (entries: number) => {
  if (entries === 0) return 'This user has no entries.'
  return entries === 1 ? '1 entry will be deleted too.' : `${entries} entries will be deleted too.`
}

/** One user that was found: the form and its buttons. */
export function UserEditor({ user }: { user: User }) {
  const navigate = useNavigate()
  const draft = useDraft(valuesOf(user))
  // What the form was filled from: only what differs from it is sent.
  const [saved, setSaved] = useState(user)
  const fill = (from: User) => {
    setSaved(from)
    draft.replace(valuesOf(from))
  }
  const [seen, setSeen] = useState(user)
  if (user !== seen) {
    setSeen(user)
    if (draft.changed) setSaved(user)
    else fill(user)
  }
  useFollow(draft, valuesOf(saved), mergedValues)

  const forget = useForgetUser()
  const leaveFor = async (search: { email?: string }) => {
    await navigate({ to: modifyUserPath, search })
    if (search.email !== user.email) forget(user.email)
  }
  const show = (from: User) => {
    fill(from)
    if (from.email !== user.email) void leaveFor({ email: from.email })
  }
  const change = useChangeUser()
  const missing = missingIn(draft.values)
  const taken = useTakenFields(draft.values, valuesOf(saved), user.id)
  const edits = useEdits(draft, saved)
  const save = (ifUpdatedAt = edits.began.updatedAt) => {
    if (change.isPending) return
    if (missing.length > 0) return warnOfMissing(missing)
    if (taken.warnOf()) return
    const body = { id: user.id, ifUpdatedAt, ...changesOf(valuesOf(saved), draft.values) }
    const wrong = issuesOf(PatchUserBody, body)
    draft.refuse(wrong)
    if (Object.keys(wrong).length > 0) return
    change.mutate(body, {
      onSuccess: (outcome) => {
        if ('current' in outcome) {
          setSaved(outcome.current)
          return edits.choose()
        }
        edits.close()
        show(outcome.saved)
      },
      onError: (error) => {
        edits.fail(error)
        refuse(draft, error)
      },
    })
  }
  const toBlank = () => {
    draft.replace(valuesOf(saved))
    void leaveFor({})
  }
  const remove = useRemoveUser()
  useLeaveGuard(draft.isChanged)
  useSaveKey(() => save())
  return (
    <>
      <ActionBar label="User actions" changed={draft.changed}>
        <SaveButton missing={missing} busy={change.isPending} onSave={() => save()} />
        <DeleteButton
          id={saved.email}
          noun="user"
          consequence={gone(saved.entries)}
          busy={remove.isPending}
          onDelete={(settled) => remove.mutate(saved.email, { onSuccess: toBlank, onSettled: settled })}
        />
        <Button onClick={toBlank}>
          <RotateCcw size={15} aria-hidden="true" />
          Reset
        </Button>
      </ActionBar>
      <Conflict
        edits={edits}
        record={saved}
        noun="user"
        wordsOf={(from) => wordsOf(valuesOf(from))}
        mine={wordsOf(draft.values)}
        busy={change.isPending}
        onLoad={() => show(saved)}
        onSave={save}
      />
      <UserForm draft={draft} taken={taken.reasons} saved={saved} />
    </>
  )
}
