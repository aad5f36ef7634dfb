import { HiddenUsername } from '../../../sign-in/pages/form.tsx'
import { NewPasswordField } from '../../../sign-in/pages/new-password-field.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { inputsOf } from '../../../ui/form/fields.ts'
import type { User } from '../../contract.ts'
import { useSetPassword } from '../calls.ts'

type PasswordModalProps = { open: boolean; user: User; onClose: () => void }

const blank = { password: '' }

export function PasswordModal({ open, user, onClose }: PasswordModalProps) {
  const draft = useDraft(blank)
  const set = useSetPassword()
  const isSelf = useSessionUser()?.id === user.id
  const form = useDialogForm({
    open,
    draft,
    body: () => ({ id: user.id, ...draft.values }),
    mutation: set,
    main: 'password',
    onSaved: onClose,
  })
  return (
    <FormModal
      {...form}
      title="Set Password for User"
      description={
        isSelf ? "You'll be signed out on your other devices." : `${user.name} will be signed out on all devices.`
      }
      verb="Confirm"
      onClose={onClose}
    >
      <HiddenUsername of={user} />
      <NewPasswordField {...inputsOf(draft)('password')} label="New password" />
    </FormModal>
  )
}
