import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { issuesOf } from '../../../ui/form/issues.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { useReplace } from './calls.ts'

const { discordHook } = herokudiscordwebhook.Settings.shape
const blank = { discordHook: '' }

export function ReplaceModal({ id, open, onClose }: { id: string; open: boolean; onClose: () => void }) {
  const draft = useDraft(blank)
  const { values } = draft
  const form = useDialogForm({
    open,
    draft,
    body: () => ({ id, ...values }),
    check: (body) => {
      const { '': wrong } = issuesOf(discordHook, body.discordHook)
      return wrong === undefined ? {} : { discordHook: wrong }
    },
    mutation: useReplace(),
    onSaved: onClose,
  })
  return (
    <FormModal
      {...form}
      title="Replace webhook"
      description="Held events are sent to the new webhook, in order."
      verb="Replace and replay"
      busy={form.busy || !values.discordHook.trim()}
      onClose={onClose}
    >
      <TextField
        {...inputsOf(draft)('discordHook')}
        label="New Discord Webhook URL"
        type="url"
        code
        placeholder="https://discord.com/api/webhooks/…"
        autoComplete="off"
        spellCheck={false}
      />
    </FormModal>
  )
}
