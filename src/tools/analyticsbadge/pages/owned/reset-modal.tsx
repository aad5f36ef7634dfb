import { ConfirmModal } from '../../../../ui/components/modal/confirm-modal.tsx'
import { succeed } from '../../../../ui/toasts.ts'
import type { OwnedBadge } from '../../contract.ts'
import { usePatchBadge } from '../calls.ts'
import { viewsOf } from '../chart/days.ts'

type ResetModalProps = { badge: OwnedBadge; open: boolean; onClose: () => void }

/** Asks whether a badge should start again from 0. */
export function ResetModal({ badge: { tag, views }, open, onClose }: ResetModalProps) {
  const patch = usePatchBadge()
  return (
    <ConfirmModal
      open={open}
      title={
        <>
          Reset <code>{tag}</code>?
        </>
      }
      description={`The badge starts again from 0. Its ${viewsOf(views)}, its base and its history are lost for good.`}
      yes="Reset"
      busy={patch.isPending}
      onClose={onClose}
      onConfirm={() =>
        patch.mutate({ tag, reset: true }, { onSuccess: () => succeed(`Reset ${tag}.`), onSettled: onClose })
      }
    />
  )
}
