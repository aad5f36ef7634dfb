import { useRef } from 'react'
import { Below, ChoiceField } from '../../../ui/form/field.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import type { Filter } from './calls.ts'
import css from './fields.module.css'

type Preset = Extract<Filter, { preset: unknown }>['preset']
type Lists = Extract<Filter, { resources: unknown }>

const presetLabels: Record<Preset, string> = {
  everything: 'Everything',
  deploysAndCrashes: 'Deploys and crashes',
  deploys: 'Deploys',
}

/** What a filter allows. */
export const filterLabel = (filter: Filter): string =>
  'preset' in filter
    ? presetLabels[filter.preset]
    : `Custom: ${[...filter.resources, ...filter.statuses].join(', ') || 'everything'}`

/** What can be subscribed to at Heroku, the most popular first. */
const resources = [
  'api:release',
  'api:build',
  'dyno',
  'api:dyno',
  'api:formation',
  'api:app',
  'api:addon',
  'api:addon-attachment',
  'api:domain',
  'api:collaborator',
  'api:sni-endpoint',
  'api:ssl-endpoint',
]
/** The statuses and states of those events. */
const statuses = [
  'pending',
  'succeeded',
  'failed',
  'expired',
  'starting',
  'up',
  'idle',
  'down',
  'crashed',
  'provisioning',
  'provisioned',
  'deprovisioned',
]

/** The lists to start from when a preset becomes custom: about what it allows. */
const listsOf: Record<Preset, Lists> = {
  everything: { resources: [], statuses: [] },
  deploysAndCrashes: { resources: ['api:release', 'api:build', 'dyno'], statuses: ['succeeded', 'failed', 'crashed'] },
  deploys: { resources: ['api:release', 'api:build'], statuses: [] },
}

type Props = { label: string; value: Filter; error: string | undefined; onChange: (filter: Filter) => void }

const choices = [
  { value: 'everything', label: presetLabels.everything, hint: 'All events' },
  { value: 'deploysAndCrashes', label: presetLabels.deploysAndCrashes, hint: 'Deploys plus dyno crashes' },
  { value: 'deploys', label: presetLabels.deploys, hint: 'Builds and releases' },
  { value: 'custom', label: 'Custom', hint: 'Your own lists' },
] as const

/** Which events to relay: a preset, or lists of resources and statuses. */
export function FilterField({ label, value: filter, error, onChange }: Props) {
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
        label={label}
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
      value={lists.resources}
      onChange={(chosen) => onChange({ ...lists, resources: chosen })}
    />
    <MultiSelectField
      label="Statuses"
      placeholder="All"
      hint="Events without a status, such as domain events, pass only when no status is selected."
      options={optionsOf(statuses, lists.statuses)}
      value={lists.statuses}
      onChange={(chosen) => onChange({ ...lists, statuses: chosen })}
    />
  </div>
)
