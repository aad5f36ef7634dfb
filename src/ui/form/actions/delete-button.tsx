import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { deleteQuestion, useConfirmModal } from '../../components/confirm-button.tsx'
import { whenDone } from '../../data/call.ts'

/** Calls `onDeleted` only if the user is still at the record's address. */
export function DeleteButton(props: {
  id: string
  noun: string
  consequence?: ReactNode
  busy: boolean
  onDelete: () => Promise<unknown>
  onDeleted: () => void
}) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const act = () => {
    const { href } = location
    const leave = () => {
      if (location.href === href) props.onDeleted()
    }
    void whenDone(props.onDelete(), leave).finally(close)
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
