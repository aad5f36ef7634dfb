import { useQuery } from '@tanstack/react-query'
import { titleOf } from '../../../shared/title.ts'
import type { Draft } from '../../../ui/form/draft.ts'
import { ChoiceField } from '../../../ui/form/field.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import { type EntryTool, entriesQuery } from './calls.ts'
import { CheckList } from './check-list.tsx'
import type { Scope, Values } from './values.ts'

const scopes: { value: Scope; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'tools', label: 'By tool' },
  { value: 'entries', label: 'By name' },
]

/** Which entries a channel hears of. */
export function WhichField({ draft, tools }: { draft: Draft<Values>; tools: readonly EntryTool[] }) {
  const { values, errors, set } = draft
  return (
    <ChoiceField label="Entries" choices={scopes} value={values.scope} onChange={(scope) => set('scope', scope)}>
      {values.scope === 'tools' && (
        <CheckList
          label="Tools"
          options={tools.map(({ id: value, label }) => ({ value, label }))}
          chosen={values.tools}
          error={errors.tools}
          onChange={(chosen) => set('tools', chosen)}
        />
      )}
      {values.scope === 'entries' && (
        <Entries
          tools={tools}
          chosen={values.entries}
          error={errors.entries}
          onChange={(chosen) => set('entries', chosen)}
        />
      )}
    </ChoiceField>
  )
}

function Entries(props: {
  tools: readonly EntryTool[]
  chosen: string[]
  error: string | undefined
  onChange: (chosen: string[]) => void
}) {
  const { data: entries = [] } = useQuery(entriesQuery(props.tools))
  const listed = entries.map((entry) => ({ value: entry.id, label: titleOf(entry) }))
  const others = props.chosen.filter((id) => !entries.some((entry) => entry.id === id))
  return (
    <MultiSelectField
      label="Choose entries"
      options={[...listed, ...others.map((id) => ({ value: id, label: id }))]}
      values={props.chosen}
      error={props.error}
      onChange={props.onChange}
    />
  )
}
