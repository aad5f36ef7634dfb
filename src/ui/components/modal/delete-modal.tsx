import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import css from './modal.module.css'
import { Modal, ModalActions } from './modal.tsx'

export type DeleteModalProps = {
  open: boolean
  id: string
  noun: string
  /** What goes with it, in words. */
  consequence?: ReactNode
  busy: boolean
  onClose: () => void
  onDelete: () => void
}

/** Asks once more before something goes for good. */
export function DeleteModal({ open, id, noun, consequence, busy, onClose, onDelete }: DeleteModalProps) {
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
      {consequence && <p className={css.words}>{consequence}</p>}
      <ModalActions>
        <Button onClick={onClose}>No</Button>
        <Button tone="nuke" disabled={busy} onClick={onDelete}>
          Yes, Nuke it
        </Button>
      </ModalActions>
    </Modal>
  )
}
