import type { Draft } from '../../../web/form/draft.ts'
import { TextField } from '../../../web/form/field.tsx'
import { PreviewPart } from './preview.tsx'
import type { Values } from './relay.ts'

type Props = { draft: Draft<Values>; id?: string | undefined }

export function Fields({ draft: { values, errors, set }, id }: Props) {
  const { filter, showActor, mentionRole } = values
  return (
    <>
      <TextField
        label="Discord Webhook URL"
        type="url"
        code
        required
        placeholder="https://discord.com/api/webhooks/…"
        hint="In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL."
        value={values.discordHook}
        error={errors.discordHook}
        spellCheck={false}
        onText={(url) => set('discordHook', url)}
      />
      <PreviewPart id={id} values={{ filter, showActor, mentionRole }} />
    </>
  )
}
