import { NewPasswordField } from '../../../sign-in/pages/new-password-field.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reason, refusedFields } from '../../../ui/data/api.ts'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { inputsOf } from '../../../ui/form/fields.ts'
import type { User } from '../../contract.ts'
import { passwordRefused, useSetPassword } from '../calls.ts'

type PasswordModalProps = { open: boolean; user: User; onClose: () => void }

const blank = { password: '' }

/** Sets a user's password. */
export function PasswordModal({ open, user, onClose }: PasswordModalProps) {
  const draft = useDraft(blank)
  const set = useSetPassword()
  const isSelf = useSessionUser()?.id === user.id
  const close = () => {
    draft.reset()
    set.reset()
    onClose()
  }
  const confirm = () => {
    if (set.isPending) return
    const body = { id: user.id, ...draft.values }
    set.mutate(body, {
      onSuccess: close,
      onError: (error) => draft.refuse({ password: refusedFields(error).password ?? reason(error) }, passwordRefused),
    })
  }
  return (
    <FormModal
      open={open}
      title="Set Password for User"
      description={
        isSelf ? 'You will be signed out on your other devices.' : `${user.name} will be signed out on all devices.`
      }
      verb="Confirm"
      busy={set.isPending}
      onClose={close}
      onSave={confirm}
    >
      <input
        className="sr"
        aria-hidden="true"
        tabIndex={-1}
        autoComplete="username"
        value={user.credUsername ?? ''}
        readOnly
      />
      <NewPasswordField {...inputsOf(draft)('password')} label="New password" />
    </FormModal>
  )
}
