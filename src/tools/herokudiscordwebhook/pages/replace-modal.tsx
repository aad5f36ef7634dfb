import { useState } from 'react'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { refusedFields } from '../../../ui/data/api.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { issuesOf } from '../../../ui/form/issues.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { useReplace } from './calls.ts'

const { discordHook } = herokudiscordwebhook.Settings.shape

/** The dialog that asks for the URL of another webhook. */
export function ReplaceModal({ id, open, onClose }: { id: string; open: boolean; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [error, setError] = useState<string>()
  const replace = useReplace()
  const close = () => {
    setUrl('')
    setError(undefined)
    onClose()
  }
  const save = () => {
    const wrong = issuesOf(discordHook, url)['']
    setError(wrong)
    if (wrong || replace.isPending) return
    replace.mutate(
      { id, discordHook: url },
      { onSuccess: close, onError: (refusal) => setError(refusedFields(refusal).discordHook) },
    )
  }
  return (
    <FormModal
      open={open}
      title="Replace webhook"
      description="Held events are sent to the new webhook, in order."
      verb="Replace and replay"
      busy={replace.isPending || !url.trim()}
      onClose={close}
      onSave={save}
    >
      <TextField
        label="New Discord Webhook URL"
        type="url"
        code
        placeholder="https://discord.com/api/webhooks/…"
        value={url}
        error={error}
        autoComplete="off"
        spellCheck={false}
        onChange={setUrl}
      />
    </FormModal>
  )
}
