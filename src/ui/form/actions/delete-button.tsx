import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { deleteQuestion, useConfirmModal } from '../../components/confirm-button.tsx'

/**
 * Deletes after a confirmation. The form may have left the screen by the answer, since others tell that the record is
 * gone; a user who is still at its address is led on from there.
 */
export function DeleteButton(props: {
  id: string
  noun: string
  /** What else is deleted, as a sentence. */
  consequence?: ReactNode
  busy: boolean
  onDelete: () => Promise<unknown>
  onDeleted: () => void
}) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const act = () => {
    const { href } = location
    // A failure is told by the mutation.
    void props
      .onDelete()
      .then(
        () => location.href === href && props.onDeleted(),
        () => {},
      )
      .finally(close)
  }
  return (
    <>
      <Button tone="danger" {...opener}>
        <Trash2 size={15} aria-hidden="true" />
        Delete
      </Button>
      {Dialog && (
        <Dialog
          {...deleteQuestion(props.id, props.noun)}
          open={open}
          consequence={props.consequence}
          busy={props.busy}
          onClose={close}
          onConfirm={act}
        />
      )}
    </>
  )
}
