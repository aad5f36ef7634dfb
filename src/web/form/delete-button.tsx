import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { later } from '../idle.ts'
import { Button } from '../ui/button.tsx'

const useDeleteModal = later(async () => (await import('../ui/delete-modal.tsx')).DeleteModal)

/** Deletes after one more question; `onDelete` calls back when it is done, well or not. */
export function DeleteButton(props: {
  id: string
  noun: string
  /** What goes with it, in words. */
  consequence?: ReactNode
  busy: boolean
  onDelete: (settled: () => void) => void
}) {
  const { Component: DeleteModal, ask } = useDeleteModal()
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        tone="danger"
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          setOpen(true)
        }}
      >
        <Trash2 size={15} aria-hidden="true" />
        Delete
      </Button>
      {DeleteModal && (
        <DeleteModal
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
