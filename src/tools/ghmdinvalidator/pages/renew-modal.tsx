import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'

/** Says what a new address costs before there is one. */
export function RenewModal(props: { open: boolean; busy: boolean; onClose: () => void; onRenew: () => void }) {
  return (
    <Modal
      open={props.open}
      onClose={props.onClose}
      title="Make a new address ?"
      description="The present address stops working at once. Whatever calls it needs the new one."
    >
      <ModalActions>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button tone="nuke" disabled={props.busy} onClick={props.onRenew}>
          Make a new address
        </Button>
      </ModalActions>
    </Modal>
  )
}
