import { useState } from 'react'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reason, refusedFields } from '../../../ui/data/api.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { useAskForAccess } from './calls.ts'

const longest = 300

/** Sends the admins a request for access, with a line of text if the user likes. */
export function AskModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [message, setMessage] = useState('')
  const [why, setWhy] = useState<string>()
  const ask = useAskForAccess()
  const send = () => {
    if (ask.isPending) return
    ask.mutate(message, {
      onSuccess: onClose,
      onError: (error) => setWhy(refusedFields(error).message ?? reason(error)),
    })
  }
  return (
    <FormModal
      open={open}
      title="Request access"
      description="All admins are told, with your name and email. You can ask once a day."
      verb="Send request"
      busy={ask.isPending}
      onClose={onClose}
      onSave={send}
    >
      <TextField
        label="Message (optional)"
        hint="E.g. who you are, or what you'd like to use"
        autoComplete="off"
        maxLength={longest}
        value={message}
        error={why}
        onChange={(text) => {
          setMessage(text)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}
