import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { credentialsProvider } from '../../users/contract.ts'
import type { ProviderLink } from '../profile/provider-link.ts'

/** What one gives up with this way in, in words. */
function consequence({ providerId, accountId, accountUsername }: ProviderLink): string {
  if (providerId === credentialsProvider)
    return 'This removes your username and password. Only an admin can set new ones.'
  return `You won't be able to sign in with the account ${accountUsername ?? accountId}. Nothing else changes.`
}

export function UnlinkModal(props: {
  open: boolean
  link: ProviderLink
  name: string
  busy: boolean
  onClose: () => void
  onUnlink: () => void
}) {
  return (
    <Modal
      open={props.open}
      onClose={props.onClose}
      title={`Unlink ${props.name} ?`}
      description={consequence(props.link)}
    >
      <ModalActions>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button tone="nuke" disabled={props.busy} onClick={props.onUnlink}>
          Unlink
        </Button>
      </ModalActions>
    </Modal>
  )
}
