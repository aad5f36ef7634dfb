import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/components/button.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { type Draft, useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { ChoiceField, TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { QuietFields } from '../../../ui/form/quiet-fields.tsx'
import { zoneHere } from '../../../ui/format-time.ts'
import { inform } from '../../../ui/toasts.ts'
import type { Channel } from '../../channels/contract.ts'
import { type EntryTool, kindsQuery, useSaveChannel, useTestChannel } from './calls.ts'
import css from './channels.module.css'
import { EventsField, ReminderField, WhichField } from './fields.tsx'
import { blank, type ChannelKind, example, fieldsOf, formOf, mistakesIn, type Values, valuesOf } from './values.ts'

type ModalProps = {
  open: boolean
  /** The one that is edited; undefined for a new one. */
  channel: Channel | undefined
  /** Whether a new one begins with an example. */
  isExample?: boolean
  tools: readonly EntryTool[]
  onClose: () => void
}

/** Creates or edits a channel, then offers to send a test. */
export function ChannelModal(props: ModalProps) {
  const [saved, setSaved] = useState<Channel>()
  if (saved) return <SavedModal open={props.open} channel={saved} isNew={!props.channel} onClose={props.onClose} />
  return <AskModal {...props} onSaved={setSaved} />
}

function AskModal({
  open,
  channel,
  isExample,
  tools,
  onClose,
  onSaved,
}: ModalProps & { onSaved: (saved: Channel) => void }) {
  const { data: kinds = [] } = useQuery(kindsQuery)
  const [first] = useState(() => {
    if (channel) return valuesOf(channel, zoneHere())
    return isExample ? example(zoneHere()) : blank(kinds[0]?.id ?? '', zoneHere())
  })
  const draft = useDraft(first)
  const save = useSaveChannel()
  const { values, errors, set } = draft
  const field = inputsOf(draft)
  const kind = kinds.find(({ id }) => id === values.type)
  const isAdmin = (useSessionUser()?.roles.Admin ?? 0) >= 2
  const form = useDialogForm({
    open,
    draft,
    body: () => ({ id: channel?.id, form: formOf(values, kind) }),
    check: () => mistakesIn(values),
    mutation: save,
    onSaved,
  })
  return (
    <FormModal {...form} title={channel ? 'Edit channel' : 'New channel'} verb="Save" onClose={onClose}>
      {!channel && (
        <ChoiceField {...field('type')} label="Kind" choices={kinds.map(({ id, label }) => ({ value: id, label }))} />
      )}
      {kind && <SettingFields kind={kind} draft={draft} />}
      <TextField {...field('name')} label="Name (optional)" hint="E.g. On call" autoComplete="off" maxLength={80} />
      <EventsField draft={draft} isAdmin={isAdmin} />
      {tools.length > 0 && <WhichField draft={draft} tools={tools} />}
      <QuietFields
        hint="Messages wait until they end."
        on={values.isQuiet}
        hours={values}
        errors={{ days: errors.days, to: errors.to ?? errors.quiet }}
        onSwitch={(on) => set('isQuiet', on)}
        onHours={({ zone, days, from, to }) => {
          if (zone !== undefined) set('zone', zone)
          if (days !== undefined) set('days', days)
          if (from !== undefined) set('from', from)
          if (to !== undefined) set('to', to)
        }}
      />
      <ReminderField draft={draft} />
    </FormModal>
  )
}

function SettingFields({ kind, draft }: { kind: ChannelKind; draft: Draft<Values> }) {
  const field = inputsOf(draft)
  return fieldsOf(kind).map(({ name, title = name, description, writeOnly = false, format, isRequired }) => (
    <TextField
      key={`${kind.id} ${name}`}
      {...field(`settings.${name}`)}
      label={isRequired ? title : `${title} (optional)`}
      hint={description}
      code={writeOnly || format === 'uri'}
      autoComplete={format === 'email' ? 'email' : 'off'}
      spellCheck={false}
      value={draft.values[`settings.${name}`] ?? ''}
      // A mask is replaced as a whole.
      onFocus={(event) => event.target.value.includes('••••') && event.target.select()}
    />
  ))
}

type SavedProps = { open: boolean; channel: Channel; isNew: boolean; onClose: () => void }

/** What comes next after a channel was saved: its secret for the last time, a link to open, or a test. */
function SavedModal({ open, channel, isNew, onClose }: SavedProps) {
  const test = useTestChannel()
  const { secret, url } = channel.settings
  // A topic is needed once more, on the device that hears of it.
  const [title, once] = channel.type === 'ntfy' ? ['topic URL', url] : ['signing secret', secret]
  const isSecretShown = isNew && typeof once === 'string'
  const send = () =>
    test.mutate(
      { id: channel.id },
      {
        onSuccess: () => {
          inform('Sending a test message. The result appears under Last message.')
          if (!isSecretShown) onClose()
        },
      },
    )
  return (
    <Modal open={open} title="Channel saved" description={nextStep(channel)} onClose={onClose}>
      {isSecretShown && (
        <div className={css.secret}>
          <p>Copy the {title} now. You won't be able to see it again.</p>
          <Snippet title={title.charAt(0).toUpperCase() + title.slice(1)} name={`the ${title}`} text={once} />
        </div>
      )}
      <ModalActions>
        <Button onClick={onClose}>Done</Button>
        {channel.confirmed && (
          <Button tone="primary" disabled={test.isPending} onClick={send}>
            Send a test
          </Button>
        )}
      </ModalActions>
    </Modal>
  )
}

function nextStep({ confirmed, settings: { to } }: Channel): string {
  if (confirmed) return 'Send a test message to see that it arrives.'
  return `We've mailed a link to ${to}. Messages start once you open it.`
}
