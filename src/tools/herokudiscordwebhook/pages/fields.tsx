import { UrlField } from '../../../ui/form/address/url-field.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { SwitchField, TextField } from '../../../ui/form/field.tsx'
import { useSaved } from './calls.ts'
import { SecretField } from './connection/secret.tsx'
import { FilterField } from './filter.tsx'
import { PreviewPart } from './preview/preview.tsx'
import type { Values } from './relay.ts'

type Props = { draft: Draft<Values>; id?: string | undefined }

export function Fields({ draft: { values, errors, set }, id }: Props) {
  const { filter, showActor, mentionRole, threadId, card, status } = values
  return (
    <>
      <Destination
        id={id}
        url={values.discordHook}
        error={errors.discordHook}
        onChange={(url) => set('discordHook', url)}
      />
      <SecretField id={id} secret={values.secret} error={errors.secret} onChange={(secret) => set('secret', secret)} />
      <FilterField filter={filter} error={errors.filter} onChange={(chosen) => set('filter', chosen)} />
      <SwitchField
        label="Show author's email"
        hint="Messages include the email of the person who deployed or made the change."
        checked={showActor}
        onChange={(on) => set('showActor', on)}
      />
      <IdField
        label="Role to mention on failures"
        placeholder="Nobody"
        hint="The role's ID, 17 to 20 digits. Turn on Developer Mode in Discord to copy it."
        id={mentionRole}
        error={errors.mentionRole}
        onId={(role) => set('mentionRole', role)}
      />
      <IdField
        label="Thread"
        placeholder="The channel itself"
        hint="The ID of a thread or forum post in that channel to post to instead."
        id={threadId}
        error={errors.threadId}
        onId={(thread) => set('threadId', thread)}
      />
      <SwitchField
        label="One card a deploy"
        hint="A deploy is one message, edited from pending to built to released or failed. Failures are also posted as new messages."
        checked={card}
        onChange={(on) => set('card', on)}
      />
      {id !== undefined && <PreviewPart id={id} values={{ filter, showActor, mentionRole, card }} active={status} />}
    </>
  )
}

/** The webhook's URL, with an error while it is one that Discord rejects. */
function Destination(props: {
  id: string | undefined
  url: string
  error: string | undefined
  onChange: (url: string) => void
}) {
  const saved = useSaved(props.id)
  const refusal = saved?.blocked && saved.discordHook === props.url && `Rejected by Discord (${saved.blocked.why}).`
  return (
    <UrlField
      label="Discord Webhook URL"
      placeholder="https://discord.com/api/webhooks/…"
      hint="In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL."
      value={props.url}
      error={props.error ?? (refusal || undefined)}
      autoComplete="off"
      onText={props.onChange}
    />
  )
}

/** An optional id of Discord. */
function IdField({
  id,
  onId,
  ...words
}: {
  label: string
  placeholder: string
  hint: string
  id: string | null
  error: string | undefined
  onId: (id: string | null) => void
}) {
  return (
    <TextField
      {...words}
      code
      value={id ?? ''}
      inputMode="numeric"
      autoComplete="off"
      onText={(text) => onId(text.replace(mention, '$1').trim() || null)}
    />
  )
}

/** A role as Discord writes it in messages. */
const mention = /^<@&(\d+)>$/
