import { RefreshCw } from 'lucide-react'
import { Button } from '../../../ui/components/button.tsx'
import { laterDialog } from '../../../ui/navigation/later-dialog.ts'
import { succeed } from '../../../ui/toasts.ts'
import { useRenewHook } from './calls.ts'

const useRenewModal = laterDialog(async () => (await import('./renew-modal.tsx')).RenewModal)

/** Gives the hook another address after one more question. */
export function RenewHook({ id }: { id: string }) {
  const { Dialog, open, close, opener } = useRenewModal()
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
          busy={renew.isPending}
          onClose={close}
          onRenew={() =>
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
