import type { ComponentProps } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'
import type { Channel } from '../../channels/contract.ts'
import type { EntryTool } from './calls.ts'

const useChannelModal = lazyDialog(async () => (await import('./channel-modal.tsx')).ChannelModal)

type FormButtonProps = ComponentProps<typeof Button> & {
  /** The one to edit; none for a new one. */
  channel?: Channel
  /** Whether a new one begins with an example. */
  isExample?: boolean
  tools: readonly EntryTool[]
}

/** Opens the form of a channel, anew each time. */
export function FormButton({ channel, isExample = false, tools, ...button }: FormButtonProps) {
  const { Dialog, turn, open, close, opener } = useChannelModal()
  return (
    <>
      <Button size="small" {...button} {...opener} />
      {Dialog && (
        <Dialog key={turn} open={open} tools={tools} channel={channel} isExample={isExample} onClose={close} />
      )}
    </>
  )
}
