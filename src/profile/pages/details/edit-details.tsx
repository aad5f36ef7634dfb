import { useState } from 'react'
import type { SessionUser } from '../../../shared/user.ts'
import { Button } from '../../../ui/components/button.tsx'
import { lazyDialog } from '../../../ui/navigation/lazy.ts'

const useEditModal = lazyDialog(async () => (await import('./edit-modal.tsx')).EditDetailsModal)

/** The button that changes one's own name and email. */
export function EditDetails({ user }: { user: SessionUser }) {
  const { Dialog, open, close, opener } = useEditModal()
  // Each time it opens, the dialog begins with what is saved.
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Button
        size="small"
        aria-label="Edit your details"
        {...opener}
        onClick={() => {
          setTurn((before) => before + 1)
          opener.onClick()
        }}
      >
        Edit
      </Button>
      {Dialog && <Dialog key={turn} open={open} user={user} onClose={close} />}
    </>
  )
}
