import type { ReactNode } from 'react'
import { ConfirmModal } from './confirm-modal.tsx'
import css from './modal.module.css'

type DeleteModalProps = {
  open: boolean
  id: string
  noun: string
  /** What else is deleted, as a sentence. */
  consequence?: ReactNode
  busy: boolean
  onClose: () => void
  onDelete: () => void
}

/** Asks for confirmation before something is deleted. */
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
