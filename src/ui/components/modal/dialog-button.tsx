import type { ComponentProps, ComponentType } from 'react'
import { lazyDialog } from '../../navigation/lazy.ts'
import { Button } from '../button.tsx'

type ButtonProps = Omit<ComponentProps<typeof Button>, 'onClick'>
type DialogProps = { open: boolean; onClose: () => void }
type Own<Props> = Omit<Props, keyof DialogProps>
type WithDialog<Props> = object extends Own<Props> ? { dialog?: Own<Props> } : { dialog: Own<Props> }

/** A button that opens a lazily loaded dialog with the props `dialog`. Unless `isKept`, each opening starts anew. */
export function dialogButton<Props extends DialogProps>(
  fetchDialog: () => Promise<ComponentType<Props>>,
  { isKept = false } = {},
): ComponentType<ButtonProps & WithDialog<Props>> {
  const useDialog = lazyDialog(fetchDialog)
  return function DialogButton({ dialog, ...button }: ButtonProps & { dialog?: object }) {
    const { Dialog, turn, open, close, opener } = useDialog()
    const props = { ...dialog, open, onClose: close } as Props
    return (
      <>
        <Button {...button} {...opener} />
        {Dialog && <Dialog key={isKept ? 0 : turn} {...props} />}
      </>
    )
  }
}
