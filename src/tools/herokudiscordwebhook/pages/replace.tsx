import { useState } from 'react'
import { later } from '../../../web/idle.ts'
import { Button } from '../../../web/ui/button.tsx'

const useReplaceModal = later(async () => (await import('./replace-modal.tsx')).ReplaceModal)

/** Asks for another webhook of Discord and sends there what was held. */
export function Replace({ id }: { id: string }) {
  const { Component: ReplaceModal, ask } = useReplaceModal()
  const [open, setOpen] = useState(false)
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
        Replace URL and replay held
      </Button>
      {ReplaceModal && <ReplaceModal id={id} open={open} onClose={() => setOpen(false)} />}
    </>
  )
}
