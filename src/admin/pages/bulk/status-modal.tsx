import { useState } from 'react'
import type { AccessLevel } from '../../../shared/user.ts'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { SelectField } from '../../../ui/form/select.tsx'
import type { UsersTogether } from '../../bulk/contract.ts'
import { statusOptions } from '../user-form/values.ts'
import type { Wanted } from './calls.ts'
import { statusConsequence, users } from './words.ts'

/** Asks for the status that the selected users get, and says what it brings about. */
export function StatusModal(props: {
  open: boolean
  count: number
  all: UsersTogether | undefined
  busy: boolean
  onClose: () => void
  onSave: (wanted: Wanted) => void
}) {
  const { open, count, all, busy, onClose, onSave } = props
  const [status, setStatus] = useState<AccessLevel | null>(null)
  const [why, setWhy] = useState<string>()
  return (
    <FormModal
      open={open}
      title={`Set the status of ${users(count)}`}
      verb="Set status"
      busy={busy}
      onClose={onClose}
      onSave={() => (status === null ? setWhy('Select a status.') : onSave({ status }))}
    >
      <SelectField
        label="Status"
        options={statusOptions}
        value={status}
        hint={status !== null && all && statusConsequence(status, all)}
        error={why}
        onChange={(next) => {
          setStatus(next)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}
