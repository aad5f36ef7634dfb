import { useState } from 'react'
import { Button } from '../../../../ui/components/button.tsx'
import { Modal, ModalActions } from '../../../../ui/components/modal/modal.tsx'
import { refusedFields } from '../../../../ui/data/api.ts'
import { TextField } from '../../../../ui/form/field.tsx'
import { issuesOf } from '../../../../ui/form/issues.ts'
import { herokudiscordwebhook } from '../../contract.ts'
import { useReplace } from '../calls.ts'
import css from './replace.module.css'

const { discordHook } = herokudiscordwebhook.Settings.shape

/** The dialog that takes the URL of another webhook. */
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
    <Modal
      open={open}
      title="Replace webhook"
      description="Held events are sent to the new webhook, in order."
      onClose={close}
      onSave={save}
    >
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
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
          onText={setUrl}
        />
        <ModalActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={replace.isPending || !url.trim()}>
            Replace and replay
          </Button>
        </ModalActions>
      </form>
    </Modal>
  )
}
