import { useState } from 'react'
import { deviceOf } from '../../../shared/device.ts'
import { passkeyReason } from '../../../sign-in/pages/passkey-errors.ts'
import { useAddPasskey, useRenamePasskey } from '../../../sign-in/pages/second-factor/calls.ts'
import css from '../../../sign-in/pages/second-factor/second-factor.module.css'
import type { Passkey } from '../../../sign-in/second-factor/contract.ts'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { fieldErrorsOf } from '../../../ui/data/api.ts'
import { useLeaveGuard } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { notifySuccess } from '../../../ui/toasts.ts'

/** Renames the given passkey, or names a new one, which the browser then creates. */
export function PasskeyModal(props: { open: boolean; passkey?: Passkey; onClose: () => void }) {
  const { open, passkey, onClose } = props
  const [first] = useState(passkey?.name ?? deviceOf(navigator.userAgent).name)
  const [name, setName] = useState(first)
  useLeaveGuard(() => open && name !== first)
  const add = useAddPasskey()
  const rename = useRenamePasskey()
  const act = passkey ? rename : add
  const done = () => {
    notifySuccess(passkey ? `Renamed the passkey to ${name.trim()}.` : `Added the passkey ${name.trim()}.`)
    onClose()
  }
  const save = () => {
    if (act.isPending) return
    if (passkey) rename.mutate({ id: passkey.id, name }, { onSuccess: done })
    else add.mutate(name, { onSuccess: done })
  }
  const wrongName = act.error ? fieldErrorsOf(act.error).name : undefined
  const failure = act.error && !wrongName ? passkeyReason(act.error) : ''
  return (
    <FormModal
      open={open}
      title={passkey ? 'Rename passkey' : 'Add a passkey'}
      description={
        passkey ? undefined : 'Your browser will ask where to save it, then for your fingerprint, face or PIN.'
      }
      verb={passkey ? 'Save' : 'Continue'}
      busy={act.isPending}
      onClose={onClose}
      onSave={save}
    >
      <TextField
        label="Name"
        hint="E.g. work laptop"
        required
        maxLength={60}
        autoComplete="off"
        value={name}
        error={wrongName}
        onChange={(text) => {
          setName(text)
          // Resetting now would lose the result.
          if (!act.isPending) act.reset()
        }}
      />
      {failure && (
        <p role="alert" className={css.failure}>
          {failure}
        </p>
      )}
    </FormModal>
  )
}
