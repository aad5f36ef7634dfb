import { Plus } from 'lucide-react'
import { useState } from 'react'
import { later } from '../../../web/idle.ts'
import { Button } from '../../../web/ui/button.tsx'

const useNewKeyModal = later(async () => (await import('./new-key-modal.tsx')).NewKeyModal)

/** The button that makes a key. */
export function NewKey() {
  const { Component: NewKeyModal, ask } = useNewKeyModal()
  const [open, setOpen] = useState(false)
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        onPointerEnter={ask}
        onFocus={ask}
        onClick={() => {
          ask()
          // Every turn starts with a blank form, and the last one's key is forgotten.
          setTurn(turn + 1)
          setOpen(true)
        }}
      >
        <Plus size={14} aria-hidden="true" />
        New API key
      </Button>
      {NewKeyModal && <NewKeyModal key={turn} open={open} onClose={() => setOpen(false)} />}
    </>
  )
}
