import { useQuery } from '@tanstack/react-query'
import { CircleUserRound, ShieldCheck, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AccessLevel, knownTags } from '../../../shared/user.ts'
import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { MultiSelectField, SelectField } from '../../../ui/form/select.tsx'
import type { Matches } from '../../../ui/table/rows/use-rows.ts'
import type { Selection } from '../../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../../ui/table/selection/selection-bar.tsx'
import type { UsersTogether } from '../../bulk/contract.ts'
import { statusOptions, tagOptions } from '../user-form/values.ts'
import { togetherQuery, useActOnUsers, type Wanted } from './calls.ts'
import { RolesModal } from './roles-modal.tsx'
import { deleteConsequence, statusConsequence, users } from './words.ts'

type Question = 'status' | 'roles' | 'tags' | 'delete'

/** What can be done with the selected users, in place of the pages. */
export function UserBar(props: { selection: Selection; source: Matches }) {
  const { selection } = props
  const ids = [...selection.ids]
  const [asking, setAsking] = useState<Question>()
  /** Each question begins anew. */
  const [round, setRound] = useState(0)
  const [progress, setProgress] = useState(0)
  const close = () => setAsking(undefined)
  const many = useActOnUsers(setProgress, ({ done }) => {
    close()
    // Those who were refused stay selected, to be tried again, and so do those who were selected meanwhile.
    selection.toggle(done, false)
  })
  const { data: all } = useQuery({ ...togetherQuery(ids), enabled: asking === 'status' || asking === 'delete' })
  const ask = (question: Question) => {
    setRound(round + 1)
    setAsking(question)
  }
  const start = (wanted: Wanted) => {
    setProgress(0)
    many.mutate({ ids, wanted })
  }
  const busy = many.isPending
  const dialog = { count: ids.length, busy, onClose: close, onSave: start }
  const these = ids.length === 1 ? 'this user' : `these ${users(ids.length)}`
  return (
    <>
      <SelectionBar label="Selected users" {...props} busy={busy} progress={progress}>
        <ActButton Icon={CircleUserRound} disabled={busy} onClick={() => ask('status')}>
          Status…
        </ActButton>
        <ActButton Icon={ShieldCheck} disabled={busy} onClick={() => ask('roles')}>
          Roles…
        </ActButton>
        <ActButton Icon={Tags} disabled={busy} onClick={() => ask('tags')}>
          Tags…
        </ActButton>
        <ActButton Icon={Trash2} danger disabled={busy} onClick={() => ask('delete')}>
          Delete…
        </ActButton>
      </SelectionBar>
      <StatusModal key={`status ${round}`} open={asking === 'status'} all={all} {...dialog} />
      <RolesModal key={`roles ${round}`} open={asking === 'roles'} {...dialog} />
      <TagsModal key={`tags ${round}`} open={asking === 'tags'} {...dialog} />
      <ConfirmModal
        open={asking === 'delete'}
        title={`Delete ${users(ids.length)} ?`}
        description={`Are you sure you want to delete ${these}? ${all ? deleteConsequence(all) : 'Their entries will be deleted too.'}`}
        no="No"
        yes="Yes, Nuke it"
        busy={busy}
        onClose={close}
        onConfirm={() => start('delete')}
      />
    </>
  )
}

/** Asks for the status that the selected users get, and says what it brings about. */
function StatusModal(props: {
  open: boolean
  count: number
  all: UsersTogether | undefined
  busy: boolean
  onClose: () => void
  onSave: (wanted: Wanted) => void
}) {
  const { open, count, all, busy, onClose, onSave } = props
  const [status, setStatus] = useState<AccessLevel | null>(null)
  const [why, setWhy] = useState<string>()
  return (
    <FormModal
      open={open}
      title={`Set the status of ${users(count)}`}
      verb="Set status"
      busy={busy}
      onClose={onClose}
      onSave={() => (status === null ? setWhy('Select a status.') : onSave({ status }))}
    >
      <SelectField
        label="Status"
        options={statusOptions}
        value={status}
        hint={status !== null && all && statusConsequence(status, all)}
        error={why}
        onChange={(next) => {
          setStatus(next)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}

type Tag = (typeof knownTags)[number]

/** Asks for the tags that the selected users get and lose; others stay. */
function TagsModal(props: {
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
        value={added}
        error={why}
        onChange={(tags) => {
          setAdded(tags)
          setWhy(undefined)
        }}
      />
      <MultiSelectField
        label="Remove"
        options={tagOptions.filter(({ value }) => !added.includes(value))}
        value={removed}
        onChange={(tags) => {
          setRemoved(tags)
          setWhy(undefined)
        }}
      />
    </FormModal>
  )
}
