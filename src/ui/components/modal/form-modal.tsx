import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Form } from '../form.tsx'
import css from './modal.module.css'
import { type FinalFocus, Modal, ModalActions } from './modal.tsx'

/** A dialog with a few fields; Enter and Ctrl+S work like its button. */
export function FormModal(props: {
  open: boolean
  title: ReactNode
  description?: ReactNode
  /** The label of its button. */
  verb: string
  busy: boolean
  onClose: () => void
  onSave: () => void
  children: ReactNode
  finalFocus?: FinalFocus
  /** Alternatives to the form, shown below its buttons. */
  below?: ReactNode
}) {
  const { open, title, description, onClose, onSave, finalFocus } = props
  return (
    <Modal
      open={open}
      title={title}
      description={description}
      onClose={onClose}
      onSave={onSave}
      finalFocus={finalFocus}
    >
      <Form className={css.form} onSend={onSave}>
        {props.children}
        <ModalActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={props.busy}>
            {props.verb}
          </Button>
        </ModalActions>
      </Form>
      {props.below}
    </Modal>
  )
}
