import { Button } from '../../../../ui/components/button.tsx'
import { laterDialog } from '../../../../ui/navigation/later-dialog.ts'
import { succeed } from '../../../../ui/toasts.ts'
import type { ApiKey } from '../../../users/contract.ts'
import { useDeleteKey } from '../calls.ts'

const useDeleteModal = laterDialog(
  async () => (await import('../../../../ui/components/modal/delete-modal.tsx')).DeleteModal,
)

/** Deletes a key after one more question. */
export function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const { Dialog, open, close, opener } = useDeleteModal()
  const remove = useDeleteKey()
  return (
    <>
      <Button size="small" aria-label={`Delete ${name}`} {...opener}>
        Delete
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          id={name}
          noun="API key"
          consequence="Apps using this key will stop working."
          busy={remove.isPending}
          onClose={close}
          onDelete={() =>
            remove.mutate(id, { onSuccess: () => succeed(`Deleted the API key ${name}.`), onSettled: close })
          }
        />
      )}
    </>
  )
}
