import type { UseMutationResult } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { lazyDialog } from '../navigation/lazy.ts'
import { succeed } from '../toasts.ts'
import { Button } from './button.tsx'

const useConfirmModal = lazyDialog(async () => (await import('./modal/confirm-modal.tsx')).ConfirmModal)

type Props<Input> = Omit<ComponentProps<typeof Button>, 'title' | 'onClick'> & {
  /** The question, what follows from a yes, and the word for yes. */
  title: string
  description: string
  yes: string
  act: UseMutationResult<unknown, Error, Input>
  input: Input
  /** What is said once it is done, unless the act says it. */
  done?: string
}

export function ConfirmButton<Input>({ title, description, yes, act, input, done, ...button }: Props<Input>) {
  const { Dialog, open, close, opener } = useConfirmModal()
  const onSuccess = () => {
    if (done !== undefined) succeed(done)
  }
  return (
    <>
      <Button {...button} {...opener} onClick={button['aria-disabled'] ? undefined : opener.onClick} />
      {Dialog && (
        <Dialog
          open={open}
          title={title}
          description={description}
          yes={yes}
          busy={act.isPending}
          onClose={close}
          onConfirm={() => act.mutate(input, { onSuccess, onSettled: close })}
        />
      )}
    </>
  )
}
