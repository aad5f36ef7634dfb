import { useState } from 'react'
import { type ProviderLink, providerName } from '../../../users/pages/provider-link.ts'
import { later } from '../../../web/idle.ts'
import { useProfiles } from '../../../web/server-config.ts'
import { succeed } from '../../../web/toasts.ts'
import { Button } from '../../../web/ui/button.tsx'
import { useUnlink } from './calls.ts'

const useUnlinkModal = later(async () => (await import('./unlink-modal.tsx')).UnlinkModal)

/** Takes a way in away after one more question; `keptBy` is the id of the words that say why it has to stay. */
export function Unlink({ link, keptBy }: { link: ProviderLink; keptBy: string | undefined }) {
  const name = providerName(useProfiles(), link.providerId)
  const { Component: UnlinkModal, ask } = useUnlinkModal()
  const [open, setOpen] = useState(false)
  const unlink = useUnlink()
  return (
    <>
      <Button
        size="small"
        aria-label={`Unlink ${name} ${link.accountUsername ?? link.accountId}`}
        aria-haspopup="dialog"
        aria-disabled={keptBy !== undefined}
        aria-describedby={keptBy}
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          if (keptBy) return
          ask()
          setOpen(true)
        }}
      >
        Unlink
      </Button>
      {UnlinkModal && (
        <UnlinkModal
          open={open}
          link={link}
          name={name}
          busy={unlink.isPending}
          onClose={() => setOpen(false)}
          onUnlink={() =>
            unlink.mutate(link, {
              onSuccess: () => succeed(`Unlinked ${name}.`),
              onSettled: () => setOpen(false),
            })
          }
        />
      )}
    </>
  )
}
