import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { inform } from '../../../ui/toasts.ts'
import type { Channel } from '../../channels/contract.ts'
import { useTestChannel } from './calls.ts'
import css from './channels.module.css'

type SavedProps = { open: boolean; channel: Channel; isNew: boolean; onClose: () => void }

/** What comes next after a channel was saved: its secret for the last time, a link to open, or a test. */
export function SavedModal({ open, channel, isNew, onClose }: SavedProps) {
  const test = useTestChannel()
  const { secret, url } = channel.settings
  // A topic is needed once more, on the device that hears of it.
  const [title, once] = channel.type === 'ntfy' ? ['topic URL', url] : ['signing secret', secret]
  const isSecretShown = isNew && typeof once === 'string'
  const send = () =>
    test.mutate(channel.id, {
      onSuccess: () => {
        inform('Sending a test message. The result appears under Last message.')
        if (!isSecretShown) onClose()
      },
    })
  return (
    <Modal open={open} title="Channel saved" description={nextStep(channel)} onClose={onClose}>
      {isSecretShown && (
        <div className={css.secret}>
          <p>Copy the {title} now. You won't be able to see it again.</p>
          <Snippet title={title.charAt(0).toUpperCase() + title.slice(1)} name={`the ${title}`} text={once} />
        </div>
      )}
      <ModalActions>
        <Button onClick={onClose}>Done</Button>
        {channel.confirmed && (
          <Button tone="primary" disabled={test.isPending} onClick={send}>
            Send a test
          </Button>
        )}
      </ModalActions>
    </Modal>
  )
}

function nextStep({ confirmed, settings: { to } }: Channel): string {
  if (confirmed) return 'Send a test message to see that it arrives.'
  return `We've mailed a link to ${to}. Messages start once you open it.`
}
