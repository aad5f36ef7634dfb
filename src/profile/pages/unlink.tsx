import { credentialsProvider } from '../../people/contract.ts'
import type { ProviderLink } from '../../people/pages/provider-link.ts'
import { Button } from '../../ui/components/button.tsx'
import { lazyDialog } from '../../ui/navigation/lazy.ts'
import { succeed } from '../../ui/toasts.ts'
import { useUnlink } from './calls.ts'

const useConfirmModal = lazyDialog(
  async () => (await import('../../ui/components/modal/confirm-modal.tsx')).ConfirmModal,
)

/** What removing this sign-in method means for the user. */
function consequence({ providerId, accountId, accountUsername }: ProviderLink): string {
  if (providerId === credentialsProvider)
    return 'This removes your username and password. Only an admin can set new ones.'
  return `You won't be able to sign in with the account ${accountUsername ?? accountId}. Nothing else changes.`
}

/** Unlinks a sign-in method after a confirmation; `keptBy` is the id of the text that says why it can't be unlinked. */
export function Unlink({ link, name, keptBy }: { link: ProviderLink; name: string; keptBy: string | undefined }) {
  const { Dialog, open, close, opener } = useConfirmModal()
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
          title={`Unlink ${name} ?`}
          description={consequence(link)}
          yes="Unlink"
          busy={unlink.isPending}
          onClose={close}
          onConfirm={() =>
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
