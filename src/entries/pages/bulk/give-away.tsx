import { useState } from 'react'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reason, refusedFields } from '../../../ui/data/api.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { counted } from './words.ts'

/** Asks for whom the entries are given to. */
export function GiveAway(props: {
  open: boolean
  count: number
  busy: boolean
  onClose: () => void
  onGive: (owner: string, onError: (error: unknown) => void) => void
}) {
  const [owner, setOwner] = useState('')
  const [why, setWhy] = useState<string>()
  const give = () => {
    if (owner.trim() === '') return setWhy("Enter the new owner's email.")
    props.onGive(owner.trim(), (error) => setWhy(refusedFields(error).owner ?? reason(error)))
  }
  return (
    <FormModal
      open={props.open}
      title={`Give ${counted(props.count, 'entry')} to another user`}
      description="They will see and manage these entries from then on."
      verb="Give"
      busy={props.busy}
      onClose={props.onClose}
      onSave={give}
    >
      <TextField
        label="New owner's email"
        type="email"
        required
        autoComplete="off"
        value={owner}
        error={why}
        onText={(text) => {
          setOwner(text)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}
