import type { UseMutationResult } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { whenDone } from '../data/call.ts'
import { lazyDialog } from '../navigation/lazy.ts'
import { notifySuccess } from '../toasts.ts'
import { Button } from './button.tsx'

export const useConfirmModal = lazyDialog(async () => (await import('./modal/confirm-modal.tsx')).ConfirmModal)

type Question = {
  title: ReactNode
  description: string
  /** What else the action deletes or changes, as a sentence. */
  consequence?: ReactNode
  no?: string
  yes: string
}

/** The question before a deletion; `noun` is the kind of record. */
export const deleteQuestion = (id: string, noun: string) => ({
  title: (
    <>
      Delete <code>{id}</code> ?
    </>
  ),
  description: `Are you sure you want to delete this ${noun}?`,
  no: 'No',
  yes: 'Yes, Nuke it',
})

type Props<Input> = Omit<ComponentProps<typeof Button>, 'title' | 'onClick'> &
  Question & {
    act: Pick<UseMutationResult<unknown, Error, Input>, 'isPending' | 'mutateAsync'>
    input: Input
    /** The message after success, unless the mutation shows its own. */
    done?: string
  }

export function ConfirmButton<Input>(props: Props<Input>) {
  const { title, description, consequence, no, yes, act, input, done, ...button } = props
  const { Dialog, open, close, opener } = useConfirmModal()
  const tell = () => {
    if (done !== undefined) notifySuccess(done)
  }
  return (
    <>
      <Button {...button} {...opener} onClick={button['aria-disabled'] ? undefined : opener.onClick} />
      {Dialog && (
        <Dialog
          {...{ title, description, consequence, no, yes }}
          open={open}
          busy={act.isPending}
          onClose={close}
          onConfirm={() => void whenDone(act.mutateAsync(input), tell).finally(close)}
        />
      )}
    </>
  )
}

export const DeleteInRow = (props: {
  id: string
  name: string
  noun: string
  consequence: string
  remove: UseMutationResult<unknown, Error, { id: string }>
}) => (
  <ConfirmButton
    size="small"
    aria-label={`Delete ${props.name}`}
    {...deleteQuestion(props.name, props.noun)}
    consequence={props.consequence}
    act={props.remove}
    input={{ id: props.id }}
    done={`Deleted the ${props.noun} ${props.name}.`}
  >
    Delete
  </ConfirmButton>
)
