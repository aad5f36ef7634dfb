import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { laterDialog } from '../../../../ui/navigation/later-dialog.ts'

const useNewKeyModal = laterDialog(async () => (await import('./new-key-modal.tsx')).NewKeyModal)

/** The button that makes a key. */
export function NewKey() {
  const { Dialog, open, close, opener } = useNewKeyModal()
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        size="small"
        {...opener}
        onClick={() => {
          // Every turn starts with a blank form, and the last one's key is forgotten.
          setTurn(turn + 1)
          opener.onClick()
        }}
      >
        <Plus size={14} aria-hidden="true" />
        New API key
      </Button>
      {Dialog && <Dialog key={turn} open={open} onClose={close} />}
    </>
  )
}
