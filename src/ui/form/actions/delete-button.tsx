import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { ConfirmButton, deleteQuestion } from '../../components/confirm-button.tsx'

/** Calls `onDeleted` only if the user is still at the record's address. */
export function DeleteButton(props: {
  id: string
  noun: string
  consequence?: ReactNode
  busy: boolean
  onDelete: () => Promise<unknown>
  onDeleted: () => void
}) {
  const remove = async () => {
    const { href } = location
    await props.onDelete()
    if (location.href === href) props.onDeleted()
  }
  return (
    <ConfirmButton
      tone="danger"
      {...deleteQuestion(props.id, props.noun)}
      consequence={props.consequence}
      act={{ isPending: props.busy, mutateAsync: remove }}
      input={undefined}
    >
      <Trash2 size={15} aria-hidden="true" />
      Delete
    </ConfirmButton>
  )
}
