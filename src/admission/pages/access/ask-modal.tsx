import { useState } from 'react'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { reason, refusedFields } from '../../../ui/data/api.ts'
import { reload, useCall } from '../../../ui/data/call.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { succeed } from '../../../ui/toasts.ts'

const longest = 300

/** Sends the admins a request for access, with a line of text if the user likes. */
export function AskModal({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [message, setMessage] = useState('')
  const [why, setWhy] = useState<string>()
  const ask = useCall('POST /api/v1/user/access-request', {
    // The dialog says why it was refused.
    meta: { quiet: true },
    onSuccess: () => succeed('Request sent. An admin will look at it.'),
    onSettled: () => reload('GET /api/v1/user/access-request'),
  })
  const send = () => {
    if (ask.isPending) return
    ask.mutate(
      { message },
      { onSuccess: onClose, onError: (error) => setWhy(refusedFields(error).message ?? reason(error)) },
    )
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
