import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import css from './modal.module.css'
import { Modal, ModalActions } from './modal.tsx'

/** A dialog with a few fields; Enter and Ctrl+S do what its button does. */
export function FormModal(props: {
  open: boolean
  title: ReactNode
  description?: ReactNode
  /** What its button is called. */
  verb: string
  /** Whether the button can't be pressed for now. */
  busy: boolean
  onClose: () => void
  onSave: () => void
  children: ReactNode
}) {
  const { open, title, description, onClose, onSave } = props
  return (
    <Modal open={open} title={title} description={description} onClose={onClose} onSave={onSave}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          onSave()
        }}
      >
        {props.children}
        <ModalActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={props.busy}>
            {props.verb}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  )
}
