import { laterDialog } from '../../../ui/navigation/later-dialog.ts'

export const useChannelModal = laterDialog(async () => (await import('./channel-modal.tsx')).ChannelModal)
