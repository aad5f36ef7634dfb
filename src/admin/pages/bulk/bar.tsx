import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { CircleUserRound, ShieldCheck, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { raiseQuestion, roleSentences, shownRoles } from '../../../people/pages/role-labels.ts'
import { mostIds } from '../../../shared/schemas/bulk.ts'
import { type AccessLevel, accessLevels, type knownTags, type RoleName } from '../../../shared/user.ts'
import { ConfirmModal } from '../../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../../ui/components/modal/form-modal.tsx'
import { call, reload } from '../../../ui/data/call.ts'
import { sessionQuery } from '../../../ui/data/session.ts'
import { useDraft } from '../../../ui/form/draft.ts'
import { useDialogForm } from '../../../ui/form/editor.ts'
import { inputsOf } from '../../../ui/form/fields.ts'
import { MultiSelectField, SelectField } from '../../../ui/form/select.tsx'
import { type Outcome, outcomeNote, runInBatches } from '../../../ui/table/selection/batches.ts'
import type { Selection } from '../../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../../ui/table/selection/selection-bar.tsx'
import type { MatchingRows } from '../../../ui/table/use-rows.ts'
import { notify } from '../../../ui/toasts.ts'
import type { UsersTogether } from '../../contract.ts'
import { levels, statusOptions, tagOptions } from '../user-form/values.ts'
import {
  type Change,
  deleteConsequence,
  describeChange,
  statusConsequence,
  type UserBulkAction,
  userCount,
} from './labels.ts'

type Question = 'status' | 'roles' | 'tags' | 'delete'

/** The bulk actions for the selected users, shown in place of the pager. */
export function UserBar(props: { selection: Selection; source: MatchingRows }) {
  const { selection } = props
  const ids = [...selection.ids]
  const [asking, setAsking] = useState<Question>()
  /** Part of the dialogs' keys, so that each one opens blank. */
  const [round, setRound] = useState(0)
  const [progress, setProgress] = useState(0)
  const close = () => setAsking(undefined)
  const many = useActOnUsers(setProgress, ({ done }) => {
    close()
    // Refused users stay selected for another try, and so do users selected in the meantime.
    selection.toggle(done, false)
  })
  const { data: all } = useQuery({ ...userTotalsQuery(ids), enabled: asking === 'status' || asking === 'delete' })
  const ask = (question: Question) => {
    setRound(round + 1)
    setAsking(question)
  }
  const start = (wanted: UserBulkAction) => {
    setProgress(0)
    many.mutate({ ids, wanted })
  }
  const busy = many.isPending
  const dialog = { count: ids.length, busy, onClose: close, onSave: start }
  const these = ids.length === 1 ? 'this user' : `these ${userCount(ids.length)}`
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
        title={`Delete ${userCount(ids.length)} ?`}
        description={`Are you sure you want to delete ${these}? ${all ? deleteConsequence(all) : 'Their entries will be deleted too.'}`}
        no="No"
        yes="Yes, Nuke it"
        count={ids.length}
        busy={busy}
        onClose={close}
        onConfirm={() => start('delete')}
      />
    </>
  )
}

async function act(wanted: UserBulkAction, ids: string[]) {
  if (wanted === 'delete') return call('POST /api/v1/admin/users/bulk', { ids, act: 'delete' })
  const { changed: done, ...rest } = await call('PATCH /api/v1/admin/users', { ...wanted, ids })
  return { done, ...rest }
}

/** Changes or deletes users and shows the outcome in a toast; calls `onDone` first, before the rows reload. */
const useActOnUsers = (onProgress: (count: number) => void, onDone: (answer: Outcome) => void) =>
  useMutation({
    mutationFn: ({ ids, wanted }: { ids: readonly string[]; wanted: UserBulkAction }) =>
      runInBatches(ids, (batch) => act(wanted, batch), onProgress),
    onSuccess: (answer, { wanted }) => {
      onDone(answer)
      notify(outcomeNote(wanted === 'delete' ? 'deleted' : describeChange(wanted), answer))
      void reload(sessionQuery)
      return reload({ queryKey: ['users'] })
    },
  })

const none: UsersTogether = { users: 0, active: 0, admins: 0, entries: 0, sessions: 0 }

const userTotalsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['users', 'together', ids],
    queryFn: async () => {
      const sum = { ...none }
      for (let at = 0; at < ids.length; at += mostIds) {
        const totals = await call('POST /api/v1/admin/users/together', { ids: ids.slice(at, at + mostIds) })
        for (const key of ['users', 'active', 'admins', 'entries', 'sessions'] as const) sum[key] += totals[key]
      }
      return sum
    },
    // The counts must be current when a dialog opens.
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  })

type QuestionProps = {
  open: boolean
  count: number
  busy: boolean
  onClose: () => void
  onSave: (change: Change) => void
}

const noStatus: { status: AccessLevel | null } = { status: null }

function StatusModal({ all, open, count, busy, onClose, onSave }: QuestionProps & { all: UsersTogether | undefined }) {
  const draft = useDraft(noStatus)
  const { status } = draft.values
  const form = useDialogForm({
    open,
    draft,
    body: (): Change => (status === null ? {} : { status }),
    check: (change) => (change.status === undefined ? { status: 'Select a status.' } : {}),
    mutation: { isPending: busy, mutate: onSave },
    onSaved: onClose,
  })
  return (
    <FormModal {...form} title={`Set the status of ${userCount(count)}`} verb="Set status" onClose={onClose}>
      <SelectField
        {...inputsOf(draft)('status')}
        label="Status"
        options={statusOptions}
        hint={status !== null && all && statusConsequence(status, all)}
      />
    </FormModal>
  )
}

type Tag = (typeof knownTags)[number]
const noTags: { addTags: Tag[]; removeTags: Tag[] } = { addTags: [], removeTags: [] }

function TagsModal({ open, count, busy, onClose, onSave }: QuestionProps) {
  const draft = useDraft(noTags)
  const { addTags, removeTags } = draft.values
  const isNone = addTags.length + removeTags.length === 0
  const form = useDialogForm({
    open,
    draft,
    body: (): Change => ({ ...(addTags.length > 0 && { addTags }), ...(removeTags.length > 0 && { removeTags }) }),
    check: () => (isNone ? { addTags: 'Select at least one tag.' } : {}),
    mutation: { isPending: busy, mutate: onSave },
    onSaved: onClose,
  })
  const field = inputsOf(draft)
  const optionsWithout = (excluded: readonly Tag[]) => tagOptions.filter(({ value }) => !excluded.includes(value))
  return (
    <FormModal
      {...form}
      title={`Set tags of ${userCount(count)}`}
      description="Tags you don't select stay as they are."
      verb="Set tags"
      onClose={onClose}
    >
      <MultiSelectField
        {...field('addTags')}
        label="Add"
        options={optionsWithout(removeTags)}
        error={isNone ? draft.errors.addTags : undefined}
      />
      <MultiSelectField {...field('removeTags')} label="Remove" options={optionsWithout(addTags)} />
    </FormModal>
  )
}

type Choice = 'as is' | `${AccessLevel}`
const options: { value: Choice; label: string }[] = [
  { value: 'as is', label: 'Leave as it is' },
  ...levels.map((level) => ({ value: `${level}` as const, label: accessLevels[level] })),
]
const levelOf = (choice: Choice): AccessLevel | undefined => levels.find((level) => `${level}` === choice)

const unchangedRoles: Record<RoleName, Choice> = { Tools: 'as is', Admin: 'as is' }

function RolesModal({ open, count, busy, onClose, onSave }: QuestionProps) {
  const draft = useDraft(unchangedRoles)
  const [isUnsure, setUnsure] = useState(false)
  const roles = Object.fromEntries(
    shownRoles.flatMap((role) => {
      const level = levelOf(draft.values[role])
      return level === undefined ? [] : [[role, level] as const]
    }),
  )
  const { Admin = 0 } = roles
  const isNone = Object.keys(roles).length === 0
  const send = () => onSave({ roles })
  const form = useDialogForm({
    open,
    draft,
    body: () => roles,
    check: () => (isNone ? { Tools: 'Select a level for at least one role.' } : {}),
    mutation: { isPending: busy, mutate: () => (Admin > 0 ? setUnsure(true) : send()) },
    onSaved: onClose,
  })
  if (isUnsure && Admin > 0)
    return (
      <ConfirmModal
        {...raiseQuestion(userCount(count), Admin === 1 ? 1 : 2)}
        open={open}
        busy={busy}
        onClose={onClose}
        onConfirm={send}
      />
    )
  return (
    <FormModal {...form} title={`Set roles of ${userCount(count)}`} verb="Set roles" onClose={onClose}>
      {shownRoles.map((role) => {
        const level = levelOf(draft.values[role])
        return (
          <SelectField
            key={role}
            label={role}
            options={options}
            value={draft.values[role]}
            hint={level === undefined ? 'Everyone keeps their current level.' : roleSentences[role][level]}
            error={isNone ? draft.errors[role] : undefined}
            onChange={(choice) => draft.set(role, choice)}
          />
        )
      })}
    </FormModal>
  )
}
