import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { ReachNote } from '../../../ui/components/reach-note.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { complain } from '../../../ui/toasts.ts'
import type { MadeInvite } from '../../invites/contract.ts'
import { QrCode } from '../second-factor/qr-code.tsx'
import css from './invites.module.css'

/** Shows the link of a new invitation, which can't be shown again. */
export function LinkModal(props: { open: boolean; made: MadeInvite & { email: string }; onClose: () => void }) {
  const { open, made, onClose } = props
  const [copied, setCopied] = useState(false)
  const copy = () =>
    (navigator.clipboard?.writeText(made.url) ?? Promise.reject()).then(
      () => setCopied(true),
      () => complain('Your browser blocked copying. Select the link and copy it manually.'),
    )
  const Icon = copied ? Check : Copy
  return (
    <Modal open={open} title="Your invitation link" description={wordsOf(made)} onClose={onClose}>
      <div className={css.link}>
        {made.note !== undefined && <p className={css.warning}>The email wasn't sent: {made.note}.</p>}
        <TextField label="Link" code readOnly value={made.url} onFocus={(event) => event.target.select()} />
        <ReachNote url={made.url} others="those you invite" />
        <QrCode className={css.qr} text={made.url} label="QR code of the link" />
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

function wordsOf({ mailed, email }: MadeInvite & { email: string }): string {
  const once = "You won't be able to see it again."
  if (mailed) return `We've mailed it to ${email}. You can also copy it now. ${once}`
  return `Copy it now and send it, or let someone scan it. ${once}`
}
