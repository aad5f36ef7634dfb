import { Button } from '../../../../ui/components/button.tsx'
import { laterDialog } from '../../../../ui/navigation/later-dialog.ts'

const useReplaceModal = laterDialog(async () => (await import('./replace-modal.tsx')).ReplaceModal)

/** Asks for another webhook of Discord and sends there what was held. */
export function Replace({ id }: { id: string }) {
  const { Dialog, open, close, opener } = useReplaceModal()
  return (
    <>
      <Button {...opener}>Replace URL and replay held events</Button>
      {Dialog && <Dialog id={id} open={open} onClose={close} />}
    </>
  )
}
