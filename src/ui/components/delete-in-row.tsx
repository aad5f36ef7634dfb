import type { UseMutationResult } from '@tanstack/react-query'
import { lazyDialog } from '../navigation/lazy.ts'
import { succeed } from '../toasts.ts'
import { Button } from './button.tsx'

const useDeleteModal = lazyDialog(async () => (await import('./modal/delete-modal.tsx')).DeleteModal)

type Props = {
  id: string
  name: string
  noun: string
  /** What else is deleted, as a sentence. */
  consequence: string
  remove: UseMutationResult<unknown, Error, { id: string }>
}

/** The button of a table's row that deletes what the row is about, after a question. */
export function DeleteInRow({ id, name, noun, consequence, remove }: Props) {
  const { Dialog, open, close, opener } = useDeleteModal()
  const onDelete = () =>
    remove.mutate({ id }, { onSuccess: () => succeed(`Deleted the ${noun} ${name}.`), onSettled: close })
  return (
    <>
      <Button size="small" aria-label={`Delete ${name}`} {...opener}>
        Delete
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          id={name}
          noun={noun}
          consequence={consequence}
          busy={remove.isPending}
          onClose={close}
          onDelete={onDelete}
        />
      )}
    </>
  )
}
