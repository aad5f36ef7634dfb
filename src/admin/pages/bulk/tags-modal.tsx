import { useState } from 'react'
import type { knownTags } from '../../../shared/user.ts'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { MultiSelectField } from '../../../ui/form/select.tsx'
import { tagOptions } from '../user-form/values.ts'
import type { Wanted } from './calls.ts'
import { users } from './words.ts'

type Tag = (typeof knownTags)[number]

/** Asks for the tags that the selected users get and lose; others stay. */
export function TagsModal(props: {
  open: boolean
  count: number
  busy: boolean
  onClose: () => void
  onSave: (wanted: Wanted) => void
}) {
  const { open, count, busy, onClose, onSave } = props
  const [added, setAdded] = useState<Tag[]>([])
  const [removed, setRemoved] = useState<Tag[]>([])
  const [why, setWhy] = useState<string>()
  const save = () => {
    if (added.length + removed.length === 0) return setWhy('Select at least one tag.')
    onSave({ ...(added.length > 0 && { addTags: added }), ...(removed.length > 0 && { removeTags: removed }) })
  }
  return (
    <FormModal
      open={open}
      title={`Set tags of ${users(count)}`}
      description="Tags that you don't select here stay as they are."
      verb="Set tags"
      busy={busy}
      onClose={onClose}
      onSave={save}
    >
      <MultiSelectField
        label="Add"
        options={tagOptions.filter(({ value }) => !removed.includes(value))}
        values={added}
        error={why}
        onChange={(tags) => {
          setAdded(tags)
          setWhy(undefined)
        }}
      />
      <MultiSelectField
        label="Remove"
        options={tagOptions.filter(({ value }) => !added.includes(value))}
        values={removed}
        onChange={(tags) => {
          setRemoved(tags)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}
