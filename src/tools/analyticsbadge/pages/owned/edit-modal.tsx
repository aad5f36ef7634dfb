import { useState } from 'react'
import { FormModal } from '../../../../ui/components/modal/form-modal.tsx'
import { reason } from '../../../../ui/data/api.ts'
import { SwitchField, TextField } from '../../../../ui/form/field.tsx'
import { succeed } from '../../../../ui/toasts.ts'
import type { OwnedBadge } from '../../contract.ts'
import { usePatchBadge } from '../calls.ts'

type EditModalProps = { badge: OwnedBadge; open: boolean; onClose: () => void }

/** Changes a badge's base, and whether it shows its number. */
export function EditModal({ badge, open, onClose }: EditModalProps) {
  const { tag } = badge
  const [typed, setTyped] = useState<{ base?: string; hidden?: boolean }>({})
  const patch = usePatchBadge()
  const { base = String(badge.base), hidden = badge.hidden } = typed
  const close = () => {
    setTyped({})
    patch.reset()
    onClose()
  }
  const save = () =>
    patch.mutate(
      { tag, base: Number(base), hidden },
      {
        onSuccess: () => {
          succeed(`Saved ${tag}.`)
          close()
        },
      },
    )
  return (
    <FormModal open={open} title={`Edit ${tag}`} verb="Save" busy={patch.isPending} onClose={close} onSave={save}>
      <TextField
        label="Base"
        inputMode="numeric"
        value={base}
        hint="Added to the views, such as the count of the service you come from. It can't be lowered."
        error={patch.error ? reason(patch.error) : undefined}
        onText={(text) => {
          patch.reset()
          setTyped({ ...typed, base: text.replaceAll(/\D/g, '').slice(0, 13) })
        }}
      />
      <SwitchField
        label="Hide the number"
        hint="The image shows its label only. Views are counted, and scripts can still read them."
        checked={hidden}
        onChange={(on) => setTyped({ ...typed, hidden: on })}
      />
    </FormModal>
  )
}
