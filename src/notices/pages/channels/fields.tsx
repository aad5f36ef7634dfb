import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { titleOf } from '../../../shared/title.ts'
import { useDebounced } from '../../../ui/debounce.ts'
import { CheckList } from '../../../ui/form/check-list.tsx'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField, SwitchField, TextField } from '../../../ui/form/field.tsx'
import { inputsOf } from '../../../ui/form/fields.ts'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import type { ChannelEvent } from '../../channels/contract.ts'
import { type EntryTool, entriesQuery } from './calls.ts'
import css from './channels.module.css'
import { eventLabels } from './labels.ts'
import type { Scope, Values } from './values.ts'

const scopes: { value: Scope; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'tools', label: 'By tool' },
  { value: 'entries', label: 'By name' },
]

/** Which entries a channel hears of. */
export function WhichField({ draft, tools }: { draft: Draft<Values>; tools: readonly EntryTool[] }) {
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
  // What was chosen needs its name also when something else is searched.
  const named = useQueries({
    queries: chosen.map(entriesQuery),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const known = new Map([...named, ...found].map((entry) => [entry.id, titleOf(entry)]))
  const ids = new Set([...found.map(({ id }) => id), ...chosen])
  const searched = typed.trim()
  // Until the answer is there, those of the answer before that are sure to match.
  const fits = (id: string) => text === searched || (known.get(id) ?? '').toLowerCase().includes(searched.toLowerCase())
  const matches = (id: string) =>
    (found.some((entry) => entry.id === id) && fits(id)) || (searched === '' && chosen.includes(id))
  return (
    <MultiSelectField
      label="Choose entries"
      placeholder="Search your entries"
      options={[...ids].map((value) => ({ value, label: known.get(value) ?? value }))}
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

const everybodys: ChannelEvent[] = ['failing', 'recovered', 'blocked', 'account']

/** What a channel tells; trouble of the server only to admins who run it. */
export function EventsField({ draft, isAdmin }: { draft: Draft<Values>; isAdmin: boolean }) {
  const { events } = draft.values
  const offered: ChannelEvent[] = isAdmin || events.includes('operator') ? [...everybodys, 'operator'] : everybodys
  return (
    <CheckList
      {...inputsOf(draft)('events')}
      label="Tell me when"
      options={offered.map((value) => ({ value, label: eventLabels[value].label }))}
    />
  )
}

/** Whether, and how often, a channel repeats what still fails. */
export function ReminderField({ draft }: { draft: Draft<Values> }) {
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
