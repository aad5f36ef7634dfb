import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { laterDialog } from '../../navigation/later-dialog.ts'

const useDeleteModal = laterDialog(async () => (await import('../../components/modal/delete-modal.tsx')).DeleteModal)

/** Deletes after a confirmation; `onDelete` has to call `close` when it has succeeded or failed. */
export function DeleteButton(props: {
  id: string
  noun: string
  /** What else is deleted, as a sentence. */
  consequence?: ReactNode
  busy: boolean
  onDelete: (close: () => void) => void
}) {
  const { Dialog, open, close, opener } = useDeleteModal()
  return (
    <>
      <Button tone="danger" {...opener}>
        <Trash2 size={15} aria-hidden="true" />
        Delete
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          id={props.id}
          noun={props.noun}
          consequence={props.consequence}
          busy={props.busy}
          onClose={close}
          onDelete={() => props.onDelete(close)}
        />
      )}
    </>
  )
}
