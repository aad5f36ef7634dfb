import { useState } from 'react'
import type { ApiKey } from '../../../users/contract.ts'
import { later } from '../../../web/idle.ts'
import { succeed } from '../../../web/toasts.ts'
import { Button } from '../../../web/ui/button.tsx'
import { useDeleteKey } from './calls.ts'

const useDeleteModal = later(async () => (await import('../../../web/ui/delete-modal.tsx')).DeleteModal)

/** Deletes a key after one more question. */
export function DeleteKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const { Component: DeleteModal, ask } = useDeleteModal()
  const [open, setOpen] = useState(false)
  const remove = useDeleteKey()
  const close = () => setOpen(false)
  return (
    <>
      <Button
        size="small"
        aria-label={`Delete ${name}`}
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          setOpen(true)
        }}
      >
        Delete
      </Button>
      {DeleteModal && (
        <DeleteModal
          open={open}
          id={name}
          noun="API key"
          consequence="Whatever uses it is refused from then on."
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
