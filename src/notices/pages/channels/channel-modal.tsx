import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { titleOf } from '../../../shared/title.ts'
import { Button } from '../../../ui/components/button.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { Modal, ModalActions } from '../../../ui/components/modal/modal.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { useSessionUser } from '../../../ui/data/session.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { CheckList } from '../../../ui/form/check-list.tsx'
import { type Draft, useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { ChoiceField, SwitchField, TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { QuietFields } from '../../../ui/form/quiet-fields.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import { browserZone } from '../../../ui/format-time.ts'
import { notifyInfo } from '../../../ui/toasts.ts'
import type { Channel, ChannelEvent } from '../../channels/contract.ts'
import { type EntryTool, entriesQuery, kindsQuery, useSaveChannel, useTestChannel } from './calls.ts'
import css from './channels.module.css'
import { eventLabels } from './labels.ts'
import {
  blank,
  type ChannelKind,
  changesOf,
  example,
  fieldsOf,
  formOf,
  mistakesIn,
  type Scope,
  type Values,
  valuesOf,
} from './values.ts'

type ModalProps = {
  open: boolean
  /** Undefined for a new channel. */
  channel?: Channel
  isExample?: boolean
  tools: readonly EntryTool[]
  onClose: () => void
}

export function ChannelModal(props: ModalProps) {
  const [saved, setSaved] = useState<Channel>()
  if (saved) return <SavedModal open={props.open} channel={saved} isNew={!props.channel} onClose={props.onClose} />
  return <AskModal {...props} onSaved={setSaved} />
}

function AskModal(props: ModalProps & { onSaved: (saved: Channel) => void }) {
  const { open, isExample, tools, onClose, onSaved } = props
  // If the user has typed while a new channel was being saved, the dialog stays open to edit it.
  const [created, setCreated] = useState<Channel>()
  const channel = props.channel ?? created
  const { data: kinds = [] } = useQuery(kindsQuery)
  const [first] = useState(() => (isExample ? example(browserZone()) : blank(kinds[0]?.id ?? '', browserZone())))
  const saved = channel ? valuesOf(channel, browserZone()) : first
  const draft = useDraft(saved)
  const save = useSaveChannel()
  const { values, errors, set } = draft
  const field = inputsOf(draft)
  const kind = kinds.find(({ id }) => id === values.type)
  // Only the first answer about a new channel contains its secrets. The form has taken them over.
  const unmasked = (answer: Channel) => (created ? { ...answer, settings: formOf(values, kind).settings } : answer)
  const isAdmin = (useSessionUser()?.roles.Admin ?? 0) >= 2
  const form = useDialogForm({
    open,
    draft,
    body: () => (channel ? { id: channel.id, ...changesOf(saved, values, kind) } : formOf(values, kind)),
    check: () => mistakesIn(values),
    mutation: save,
    onAnswer: (answer) => props.channel || setCreated(unmasked(answer)),
    onSaved: (answer) => onSaved(unmasked(answer)),
  })
  return (
    <FormModal
      {...form}
      title={props.channel ? 'Edit channel' : 'New channel'}
      verb="Save"
      // The response to a new channel may contain a secret that is shown only once.
      onClose={created ? () => onSaved(created) : () => (!props.channel && draft.isSavingNow()) || onClose()}
    >
      {!props.channel && (
        <ChoiceField
          {...field('type')}
          label="Kind"
          choices={kinds.map(({ id, label }) => ({ value: id, label }))}
          onChange={(type) => {
            set('type', type)
            // Clear errors of settings: a value that is invalid for one type may be valid for another.
            for (const name of Object.keys(errors)) if (isSetting(name)) set(name, values[name] ?? '')
          }}
        />
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

const isSetting = (name: string): name is `settings.${string}` => name.startsWith('settings.')

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
      // Select the entire mask, so that typing replaces it.
      onFocus={(event) => event.target.value.includes('••••') && event.target.select()}
    />
  ))
}

type SavedProps = { open: boolean; channel: Channel; isNew: boolean; onClose: () => void }

/** Shows the next step: copying the channel's secret, opening the mailed link, or sending a test. */
function SavedModal({ open, channel, isNew, onClose }: SavedProps) {
  const test = useTestChannel()
  const { secret, url } = channel.settings
  // The user needs an ntfy topic's URL once more, to subscribe to it on a device.
  const [title, once] = channel.type === 'ntfy' ? ['topic URL', url] : ['signing secret', secret]
  const isSecretShown = isNew && typeof once === 'string'
  const send = () =>
    test.mutate(
      { id: channel.id },
      {
        onSuccess: () => {
          notifyInfo('Sending a test message. The result appears under Last message.')
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

const scopes: { value: Scope; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'tools', label: 'By tool' },
  { value: 'entries', label: 'By name' },
]

function WhichField({ draft, tools }: { draft: Draft<Values>; tools: readonly EntryTool[] }) {
  const { values } = draft
  const field = inputsOf(draft)
  return (
    <ChoiceField {...field('scope')} label="Entries" choices={scopes}>
      {values.scope === 'tools' && (
        <CheckList
          {...field('tools')}
          label="Tools"
          options={tools.map(({ id: value, label }) => ({ value, label }))}
        />
      )}
      {values.scope === 'entries' && <Entries {...field('entries')} />}
    </ChoiceField>
  )
}

type EntriesProps = { value: string[]; error: string | undefined; onChange: (chosen: string[]) => void }

function Entries({ value: chosen, error, onChange }: EntriesProps) {
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), 150)
  const { data: found = [], isFetching } = useQuery(entriesQuery(text))
  // Chosen entries need their names even while the search finds others.
  const named = useQueries({
    queries: chosen.map(entriesQuery),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const names = new Map([...named, ...found].map((entry) => [entry.id, titleOf(entry)]))
  const ids = new Set([...found.map(({ id }) => id), ...chosen])
  const searched = typed.trim()
  // Until the results arrive, show those previous results that are certain to match.
  const fits = (id: string) => text === searched || (names.get(id) ?? '').toLowerCase().includes(searched.toLowerCase())
  const matches = (id: string) =>
    (found.some((entry) => entry.id === id) && fits(id)) || (searched === '' && chosen.includes(id))
  return (
    <MultiSelectField
      label="Choose entries"
      placeholder="Search your entries"
      options={[...ids].map((value) => ({ value, label: names.get(value) ?? value }))}
      value={chosen}
      error={error}
      search={{ onText: setTyped, matches, none: noneFound(searched, isFetching || text !== searched) }}
      onChange={onChange}
    />
  )
}

function noneFound(typed: string, isWaiting: boolean): string {
  if (isWaiting) return 'Searching…'
  return typed === '' ? "You don't have any entries yet." : 'None of your entries match.'
}

const eventsForAll: ChannelEvent[] = ['failing', 'recovered', 'blocked', 'account']

/** Only admins are offered server problems. */
function EventsField({ draft, isAdmin }: { draft: Draft<Values>; isAdmin: boolean }) {
  const { events } = draft.values
  const offered: ChannelEvent[] = isAdmin || events.includes('operator') ? [...eventsForAll, 'operator'] : eventsForAll
  return (
    <CheckList
      {...inputsOf(draft)('events')}
      label="Tell me when"
      options={offered.map((value) => ({ value, label: eventLabels[value].label }))}
    />
  )
}

function ReminderField({ draft }: { draft: Draft<Values> }) {
  const field = inputsOf(draft)
  return (
    <div className={css.group}>
      <SwitchField {...field('reminds')} label="Reminders" hint="Tell me again while it lasts." />
      {draft.values.reminds && (
        <TextField {...field('remindEvery')} label="Hours between reminders" type="number" min={1} max={168} required />
      )}
    </div>
  )
}
