import { QrCode } from '../../../sign-in/pages/second-factor/qr-code.tsx'
import { ReachNote } from '../../../ui/components/reach-note.tsx'
import { Warning } from '../../../ui/components/warning.tsx'
import { ShownOnceModal } from '../../../ui/form/shown-once-modal.tsx'
import type { MadeInvite } from '../../invites/contract.ts'

type Made = MadeInvite & { email: string }

/** Shows the link of a new invitation. */
export const LinkModal = ({ open, made, onClose }: { open: boolean; made: Made; onClose: () => void }) => (
  <ShownOnceModal
    open={open}
    title="Your invitation link"
    description={
      made.mailed
        ? `We've mailed it to ${made.email}. You can also copy it now.`
        : 'Copy it now and send it, or let someone scan it.'
    }
    label="Link"
    text={made.url}
    noun="link"
    onClose={onClose}
  >
    {made.note !== undefined && <Warning>The email wasn't sent: {made.note}.</Warning>}
    <ReachNote url={made.url} others="those you invite" />
    <QrCode text={made.url} label="QR code of the link" />
  </ShownOnceModal>
)
