import { useState } from 'react'
import { isPlaceholderEmail } from '../../../people/contract.ts'
import type { SessionUser } from '../../../shared/user.ts'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { useCall } from '../../../ui/data/call.ts'
import { useSendsMail } from '../../../ui/data/server-config.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { EmailField, TextField } from '../../../ui/form/field.tsx'
import { changesBetween, inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { notifySuccess } from '../../../ui/toasts.ts'
import { OwnDetailsBody } from '../../contract.ts'
import { reloadDetails } from '../load.ts'

const valuesOf = ({ name, email }: SessionUser) => ({ name, email: isPlaceholderEmail(email) ? '' : email })

export function EditDetailsModal({ open, user, onClose }: { open: boolean; user: SessionUser; onClose: () => void }) {
  const [before, setBefore] = useState(() => valuesOf(user))
  const draft = useDraft(before)
  const sendsMail = useSendsMail()
  const save = useCall('PATCH /api/v1/user', { onSuccess: reloadDetails })
  const field = inputsOf(draft)
  const changes = changesBetween(before, draft.values)
  const form = useDialogForm({
    open,
    draft,
    body: () => changes,
    check: (body) => issuesOf(OwnDetailsBody, body),
    mutation: save,
    onAnswer: (saved) => {
      const isMailed = changes.email !== undefined && !saved.emailVerified && sendsMail === true
      notifySuccess(isMailed ? `Saved. Open the link we sent to ${saved.email} to confirm it.` : 'Saved your details.')
      setBefore(valuesOf(saved))
    },
    onSaved: onClose,
  })
  const isSame = Object.keys(changes).length === 0
  return (
    <FormModal
      {...form}
      title="Edit your details"
      verb="Save"
      onClose={onClose}
      onSave={isSame && !form.busy ? onClose : form.onSave}
    >
      <TextField {...field('name')} label="Name" required autoComplete="name" />
      <EmailField
        {...field('email')}
        hint={
          sendsMail
            ? "We'll send a link to a new email to confirm it, and tell the old one."
            : 'A new email is unverified until an admin or a provider confirms it.'
        }
      />
    </FormModal>
  )
}
