import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { later } from '../../../web/idle.ts'
import { succeed } from '../../../web/toasts.ts'
import { Button } from '../../../web/ui/button.tsx'
import { useRenewHook } from './calls.ts'

const useRenewModal = later(async () => (await import('./renew-modal.tsx')).RenewModal)

/** Gives the hook another address after one more question. */
export function RenewHook({ id }: { id: string }) {
  const { Component: RenewModal, ask } = useRenewModal()
  const [open, setOpen] = useState(false)
  const renew = useRenewHook()
  const close = () => setOpen(false)
  return (
    <>
      <Button
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          setOpen(true)
        }}
      >
        <RefreshCw size={15} aria-hidden="true" />
        New address
      </Button>
      {RenewModal && (
        <RenewModal
          open={open}
          busy={renew.isPending}
          onClose={close}
          onRenew={() =>
            renew.mutate(id, {
              onSuccess: () => succeed('The hook has a new address. Put it where you used the old one.'),
              onSettled: close,
            })
          }
        />
      )}
    </>
  )
}
