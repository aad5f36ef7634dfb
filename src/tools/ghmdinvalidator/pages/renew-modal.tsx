import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'

/** Says what a new address costs before there is one. */
export function RenewModal(props: { open: boolean; busy: boolean; onClose: () => void; onRenew: () => void }) {
  return (
    <Modal
      open={props.open}
      onClose={props.onClose}
      title="Regenerate this URL?"
      description="The current URL stops working immediately. Update everything that calls it."
    >
      <ModalActions>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button tone="nuke" disabled={props.busy} onClick={props.onRenew}>
          Regenerate URL
        </Button>
      </ModalActions>
    </Modal>
  )
}
