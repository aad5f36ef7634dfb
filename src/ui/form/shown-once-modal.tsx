import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../components/button.tsx'
import css from '../components/modal/modal.module.css'
import { Modal, ModalActions } from '../components/modal/modal.tsx'
import { notifyError } from '../toasts.ts'
import { TextField } from './field.tsx'

function selectAll(field: HTMLInputElement) {
  field.select()
  // Scroll back to the beginning, which shows what kind of text it is.
  requestAnimationFrame(() => {
    field.scrollLeft = 0
  })
}

/** Opens even if the dialog that asked for the text was closed meanwhile: nobody could see it later. */
export function ShownOnceModal(props: {
  title: string
  /** Tells the user what to do with the text. */
  description: string
  label: string
  text: string
  /** One word for the kind of text, such as `key`. */
  noun: string
  onClose: () => void
  children?: ReactNode
}) {
  const { title, description, label, text, noun } = props
  const [open, setOpen] = useState(true)
  const onClose = () => {
    setOpen(false)
    props.onClose()
  }
  const [copied, setCopied] = useState(false)
  const copy = () =>
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => setCopied(true),
      () => notifyError(`Your browser blocked copying. Select the ${noun} and copy it manually.`),
    )
  const Icon = copied ? Check : Copy
  return (
    <Modal
      open={open}
      title={title}
      description={`${description} You won't be able to see it again.`}
      onClose={onClose}
    >
      <div className={css.form}>
        <TextField label={label} code readOnly value={text} onFocus={(event) => selectAll(event.target)} />
        {props.children}
        <ModalActions>
          <Button tone="primary" onClick={copy}>
            <Icon size={15} aria-hidden="true" />
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </ModalActions>
      </div>
    </Modal>
  )
}
