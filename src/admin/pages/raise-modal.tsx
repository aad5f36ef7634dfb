import { raiseQuestion } from '../../people/pages/role-labels.ts'
import { ConfirmModal } from '../../ui/components/modal/confirm-modal.tsx'

/** Asks once more before somebody gets a higher level of Admin. */
export function RaiseModal(props: {
  open: boolean
  who: string
  level: 1 | 2
  busy: boolean
  onClose: () => void
  onConfirm: () => void
}) {
  const { open, who, level, busy, onClose, onConfirm } = props
  const { title, text, yes } = raiseQuestion(who, level)
  return (
    <ConfirmModal
      open={open}
      title={title}
      description={text}
      yes={yes}
      busy={busy}
      onClose={onClose}
      onConfirm={onConfirm}
    />
  )
}
