import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reload, useCall } from '../../../ui/data/call.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { notifySuccess } from '../../../ui/toasts.ts'

const longest = 300
const blank = { message: '' }

export function AskModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const draft = useDraft(blank)
  const ask = useCall('POST /api/v1/user/access-request', {
    // The dialog shows the error.
    meta: { quiet: true },
    onSuccess: () => notifySuccess('Request sent. An admin will look at it.'),
    onSettled: () => reload('GET /api/v1/user/access-request'),
  })
  const form = useDialogForm({
    open,
    draft,
    body: () => draft.values,
    mutation: ask,
    main: 'message',
    onSaved: onClose,
  })
  return (
    <FormModal
      {...form}
      title="Request access"
      description="All admins are notified and see your name and email. You can ask once a day."
      verb="Send request"
      onClose={onClose}
    >
      <TextField
        {...inputsOf(draft)('message')}
        label="Message (optional)"
        hint="E.g. who you are, or what you'd like to use"
        autoComplete="off"
        maxLength={longest}
      />
    </FormModal>
  )
}
