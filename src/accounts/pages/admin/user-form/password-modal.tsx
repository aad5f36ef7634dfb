import { type FormEvent, useId } from 'react'
import { Button, buttonClass } from '../../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../../ui/components/modal/modal.tsx'
import { reason, refusedFields } from '../../../../ui/data/api.ts'
import { useSessionUser } from '../../../../ui/data/session.ts'
import { useDraft } from '../../../../ui/form/draft.ts'
import type { User } from '../../../admin/contract.ts'
import { NewPasswordField } from '../../profile/new-password-field.tsx'
import { passwordRefused, useSetPassword } from '../calls.ts'
import css from './user-form.module.css'

export type PasswordModalProps = { open: boolean; user: User; onClose: () => void }

const blank = { password: '' }

/** Sets another password for a user. */
export function PasswordModal({ open, user, onClose }: PasswordModalProps) {
  const form = useId()
  const draft = useDraft(blank)
  const set = useSetPassword()
  const isSelf = useSessionUser()?.id === user.id
  const close = () => {
    draft.replace(blank)
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm()
  }
  return (
    <Modal
      open={open}
      onClose={close}
      onSave={confirm}
      title="Set Password for User"
      description={
        isSelf ? 'You will be signed out on your other devices.' : `${user.name} will be signed out on all devices.`
      }
    >
      <form id={form} className={css.password} onSubmit={submit}>
        <input
          className="sr"
          aria-hidden="true"
          tabIndex={-1}
          autoComplete="username"
          value={user.credUsername ?? ''}
          readOnly
        />
        <NewPasswordField
          label="New password"
          value={draft.values.password}
          error={draft.errors.password}
          onText={(text) => draft.set('password', text)}
        />
      </form>
      <ModalActions>
        <Button onClick={close}>Cancel</Button>
        <button type="submit" form={form} className={buttonClass({ tone: 'primary' })} disabled={set.isPending}>
          Confirm
        </button>
      </ModalActions>
    </Modal>
  )
}
