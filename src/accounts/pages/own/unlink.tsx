import { Button } from '../../../ui/components/button.tsx'
import { useProfiles } from '../../../ui/data/server-config.ts'
import { laterDialog } from '../../../ui/navigation/later-dialog.ts'
import { succeed } from '../../../ui/toasts.ts'
import { type ProviderLink, providerName } from '../profile/provider-link.ts'
import { useUnlink } from './calls.ts'

const useUnlinkModal = laterDialog(async () => (await import('./unlink-modal.tsx')).UnlinkModal)

/** Takes a way in away after one more question; `keptBy` is the id of the words that say why it has to stay. */
export function Unlink({ link, keptBy }: { link: ProviderLink; keptBy: string | undefined }) {
  const name = providerName(useProfiles(), link.providerId)
  const { Dialog, open, close, opener } = useUnlinkModal()
  const unlink = useUnlink()
  return (
    <>
      <Button
        size="small"
        aria-label={`Unlink ${name} ${link.accountUsername ?? link.accountId}`}
        aria-disabled={keptBy !== undefined}
        aria-describedby={keptBy}
        {...opener}
        onClick={keptBy === undefined ? opener.onClick : undefined}
      >
        Unlink
      </Button>
      {Dialog && (
        <Dialog
          open={open}
          link={link}
          name={name}
          busy={unlink.isPending}
          onClose={close}
          onUnlink={() =>
            unlink.mutate(link, {
              onSuccess: () => succeed(`Unlinked ${name}.`),
              onSettled: close,
            })
          }
        />
      )}
    </>
  )
}
