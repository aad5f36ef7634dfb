import { CopyOnce } from '../../../ui/components/modal/copy-once.tsx'
import { Modal } from '../../../ui/components/modal/modal.tsx'
import { ReachNote } from '../../../ui/components/reach-note.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import type { MadeInvite } from '../../invites/contract.ts'
import { QrCode } from '../second-factor/qr-code.tsx'
import css from './invites.module.css'

/** Shows the link of a new invitation, which can't be shown again. */
export function LinkModal(props: { open: boolean; made: MadeInvite & { email: string }; onClose: () => void }) {
  const { open, made, onClose } = props
  return (
    <Modal open={open} title="Your invitation link" description={wordsOf(made)} onClose={onClose}>
      <div className={css.link}>
        {made.note !== undefined && <p className={css.warning}>The email wasn't sent: {made.note}.</p>}
        <TextField label="Link" code readOnly value={made.url} onFocus={(event) => event.target.select()} />
        <ReachNote url={made.url} others="those you invite" />
        <QrCode className={css.qr} text={made.url} label="QR code of the link" />
        <CopyOnce text={made.url} noun="link" onDone={onClose} />
      </div>
    </Modal>
  )
}

function wordsOf({ mailed, email }: MadeInvite & { email: string }): string {
  const once = "You won't be able to see it again."
  if (mailed) return `We've mailed it to ${email}. You can also copy it now. ${once}`
  return `Copy it now and send it, or let someone scan it. ${once}`
}
