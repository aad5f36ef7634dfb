import type { ReactNode } from 'react'
import { ConfirmModal } from './confirm-modal.tsx'
import css from './modal.module.css'

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
export const DeleteModal = ({ id, noun, consequence, onDelete, ...props }: DeleteModalProps) => (
  <ConfirmModal
    {...props}
    title={
      <>
        Delete <code>{id}</code> ?
      </>
    }
    description={`Are you sure you want to delete this ${noun}?`}
    no="No"
    yes="Yes, Nuke it"
    onConfirm={onDelete}
  >
    {consequence && <p className={css.words}>{consequence}</p>}
  </ConfirmModal>
)
