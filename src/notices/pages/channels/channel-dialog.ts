import { lazyDialog } from '../../../ui/navigation/lazy.ts'

export const useChannelModal = lazyDialog(async () => (await import('./channel-modal.tsx')).ChannelModal)
