import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Form } from '../form.tsx'
import css from './modal.module.css'
import { Modal, ModalActions } from './modal.tsx'

type FormModalProps = ComponentProps<typeof Modal> & {
  /** The label of its button. */
  verb: string
  busy: boolean
  onSave: () => void
  /** Alternatives to the form, shown below its buttons. */
  below?: ReactNode
}

/** A dialog with a few fields; Enter and Ctrl+S work like its button. */
export const FormModal = ({ verb, busy, below, children, ...modal }: FormModalProps) => (
  <Modal {...modal}>
    <Form className={css.form} onSend={modal.onSave}>
      {children}
      <ModalActions>
        <Button onClick={modal.onClose}>Cancel</Button>
        {/* A disabled button would keep Enter from requesting another save. */}
        <Button type="submit" tone="primary" aria-disabled={busy}>
          {verb}
        </Button>
      </ModalActions>
    </Form>
    {below}
  </Modal>
)
