import { useState } from 'react'
import { useNewCodes, useTurnOff } from '../../../sign-in/pages/second-factor/calls.ts'
import { PasswordStep } from '../../../sign-in/pages/second-factor/password-step.tsx'
import { RecoveryCodeList } from '../../../sign-in/pages/second-factor/recovery-codes.tsx'
import { SetUpSteps } from '../../../sign-in/pages/second-factor/set-up-steps.tsx'
import { Button } from '../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { notifySuccess } from '../../../ui/toasts.ts'

type DialogProps = { open: boolean; onClose: () => void }

export function SetUpModal({ open, replaces = false, onClose }: DialogProps & { replaces?: boolean }) {
  const done = () => {
    notifySuccess(replaces ? 'Your new authenticator app is in use.' : 'Two-step sign-in is on.')
    onClose()
  }
  return (
    <Modal
      open={open}
      title={replaces ? 'Replace authenticator app' : 'Set up two-step sign-in'}
      description={replaces && 'Your current app and recovery codes keep working until the new app is set up.'}
      onClose={onClose}
    >
      {open && <SetUpSteps onDone={done} onCancel={onClose} />}
    </Modal>
  )
}

export function NewCodesModal({ open, onClose }: DialogProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const act = useNewCodes()
  const close = () => {
    setCodes(undefined)
    act.reset()
    onClose()
  }
  const description = codes
    ? "Keep them somewhere safe. You won't be able to see them again."
    : 'Your old recovery codes will stop working.'
  // Codes that arrive after the dialog was closed reopen it, because the old ones no longer work.
  const isOpen = open || codes !== undefined
  return (
    <Modal open={isOpen} title="New recovery codes" description={description} onClose={close}>
      {!codes && (
        <PasswordStep
          act={act}
          verb="Create codes"
          onDone={({ backupCodes }) => setCodes(backupCodes)}
          onCancel={close}
        />
      )}
      {codes && (
        <>
          <RecoveryCodeList codes={codes} />
          <ModalActions>
            <Button tone="primary" onClick={close}>
              Done
            </Button>
          </ModalActions>
        </>
      )}
    </Modal>
  )
}

export function TurnOffModal({ open, onClose }: DialogProps) {
  const act = useTurnOff()
  const close = () => {
    act.reset()
    onClose()
  }
  const done = () => {
    notifySuccess('Two-step sign-in is off.')
    close()
  }
  return (
    <Modal
      open={open}
      title="Turn off two-step sign-in ?"
      description="You won't be asked for a code at sign-in any more, and your recovery codes will stop working."
      onClose={close}
    >
      {open && <PasswordStep act={act} verb="Turn off" tone="nuke" onDone={done} onCancel={close} />}
    </Modal>
  )
}
