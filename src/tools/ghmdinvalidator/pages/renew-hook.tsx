import { RefreshCw } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { laterDialog } from '../../../ui/navigation/later-dialog.ts'
import { succeed } from '../../../ui/toasts.ts'
import { useRenewHook } from './calls.ts'

const useConfirmModal = laterDialog(
  async () => (await import('../../../ui/components/modal/confirm-modal.tsx')).ConfirmModal,
)

/** Gives the hook another address after one more question. */
export function RenewHook({ id }: { id: string }) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const renew = useRenewHook()
  return (
    <>
      <Button {...opener}>
        <RefreshCw size={15} aria-hidden="true" />
        Regenerate URL
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          title="Regenerate this URL?"
          description="The current URL stops working immediately. Update everything that calls it."
          yes="Regenerate URL"
          busy={renew.isPending}
          onClose={close}
          onConfirm={() =>
            renew.mutate(id, {
              onSuccess: () => succeed('URL regenerated. Update it wherever you used the old one.'),
              onSettled: close,
            })
          }
        />
      )}
    </>
  )
}
