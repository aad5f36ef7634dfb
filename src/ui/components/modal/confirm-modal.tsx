import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Modal, ModalActions } from './modal.tsx'

type ConfirmModalProps = {
  open: boolean
  title: ReactNode
  description: ReactNode
  /** More text below the description. */
  children?: ReactNode
  /** The labels of its buttons. */
  no?: string
  yes: string
  busy: boolean
  onClose: () => void
  onConfirm: () => void
}

/** Asks for confirmation before something that can't be undone. */
export function ConfirmModal({ children, no = 'Cancel', yes, busy, onConfirm, ...props }: ConfirmModalProps) {
  return (
    <Modal {...props}>
      {children}
      <ModalActions>
        <Button onClick={props.onClose}>{no}</Button>
        <Button tone="nuke" disabled={busy} onClick={onConfirm}>
          {yes}
        </Button>
      </ModalActions>
    </Modal>
  )
}
