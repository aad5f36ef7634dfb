import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import { counted } from './words.ts'

/** Asks for confirmation before many entries are deleted. */
export function DeleteMany(props: {
  open: boolean
  count: number
  noun: string
  busy: boolean
  onClose: () => void
  onDelete: () => void
}) {
  const { open, count, busy } = props
  const these = count === 1 ? `this ${props.noun}` : `these ${counted(count, props.noun)}`
  return (
    <ConfirmModal
      open={open}
      title={`Delete ${counted(count, 'entry')} ?`}
      description={`Are you sure you want to delete ${these}? Their history is deleted, too.`}
      no="No"
      yes="Yes, Nuke it"
      busy={busy}
      onClose={props.onClose}
      onConfirm={props.onDelete}
    />
  )
}
