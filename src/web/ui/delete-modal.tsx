import { Button } from './button.tsx'
import { Modal, ModalActions } from './modal.tsx'

export type DeleteModalProps = {
  open: boolean
  id: string
  noun: string
  busy: boolean
  onClose: () => void
  onDelete: () => void
}

/** Asks once more before something goes for good. */
export function DeleteModal({ open, id, noun, busy, onClose, onDelete }: DeleteModalProps) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={
        <>
          Delete <code>{id}</code> ?
        </>
      }
      description={`Are you sure you want to delete this ${noun}?`}
    >
      <ModalActions>
        <Button onClick={onClose}>No</Button>
        <Button tone="nuke" disabled={busy} onClick={onDelete}>
          Yes, Nuke it
        </Button>
      </ModalActions>
    </Modal>
  )
}
