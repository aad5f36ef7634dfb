import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../../ui/components/modal/modal.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { complain } from '../../../../ui/toasts.ts'
import type { FreshKey } from '../calls.ts'
import css from '../own.module.css'

/** Shows a new key, which can't be shown again. */
export function FreshKeyModal({ open, made, onClose }: { open: boolean; made: FreshKey; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  const copy = () =>
    (navigator.clipboard?.writeText(made.key) ?? Promise.reject()).then(
      () => setCopied(true),
      () => complain('Your browser blocked copying. Select the key and copy it manually.'),
    )
  const Icon = copied ? Check : Copy
  return (
    <Modal
      open={open}
      title="Your new API key"
      description="Copy it now and keep it safe. You won't be able to see it again."
      onClose={onClose}
    >
      <div className={css.form}>
        <TextField label={made.name} code readOnly value={made.key} onFocus={(event) => event.target.select()} />
        <p className={css.note}>
          Send it with each request: <code>Authorization: Bearer tbx_…</code>
        </p>
        <ModalActions>
          <Button onClick={copy}>
            <Icon size={15} aria-hidden="true" />
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </ModalActions>
      </div>
    </Modal>
  )
}
