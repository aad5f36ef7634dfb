import { useRef } from 'react'
import { Below, ChoiceField } from '../../../ui/form/field.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import css from './fields.module.css'
import { type Lists, listsOf, type Preset, presetLabels, resources, statuses } from './filter-words.ts'
import type { Filter } from './relay.ts'

type Props = { filter: Filter; error: string | undefined; onChange: (filter: Filter) => void }

const choices = [
  { value: 'everything', label: presetLabels.everything, hint: 'All events' },
  { value: 'deploysAndCrashes', label: presetLabels.deploysAndCrashes, hint: 'Deploys plus dyno crashes' },
  { value: 'deploys', label: presetLabels.deploys, hint: 'Builds and releases' },
  { value: 'custom', label: 'Custom', hint: 'Your own lists' },
] as const

/** Which events to relay: a preset, or lists of resources and statuses. */
export function FilterField({ filter, error, onChange }: Props) {
  const own = useRef<Lists>(undefined)
  const choose = (choice: Preset | 'custom') => {
    if (choice !== 'custom') onChange({ preset: choice })
    else if ('preset' in filter) onChange(own.current ?? listsOf[filter.preset])
  }
  const change = (lists: Lists) => {
    own.current = lists
    onChange(lists)
  }
  return (
    <div className={css.events}>
      <ChoiceField
        label="Events to relay"
        choices={choices}
        value={'preset' in filter ? filter.preset : 'custom'}
        onChange={choose}
      >
        {!('preset' in filter) && <OwnLists lists={filter} onChange={change} />}
        <Below id="filter-about" error={error} />
      </ChoiceField>
    </div>
  )
}

const optionsOf = (known: readonly string[], chosen: readonly string[]) =>
  [...new Set([...known, ...chosen])].map((word) => ({ value: word, label: word }))

const OwnLists = ({ lists, onChange }: { lists: Lists; onChange: (lists: Lists) => void }) => (
  <div className={css.lists}>
    <MultiSelectField
      label="Resources"
      placeholder="All"
      options={optionsOf(resources, lists.resources)}
      values={lists.resources}
      onChange={(chosen) => onChange({ ...lists, resources: chosen })}
    />
    <MultiSelectField
      label="Statuses"
      placeholder="All"
      hint="Events without a status, such as domain events, pass only when no status is selected."
      options={optionsOf(statuses, lists.statuses)}
      values={lists.statuses}
      onChange={(chosen) => onChange({ ...lists, statuses: chosen })}
    />
  </div>
)
