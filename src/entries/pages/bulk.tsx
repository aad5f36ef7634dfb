import { useMutation } from '@tanstack/react-query'
import { CirclePause, CirclePlay, Play, Trash2, UserRoundPen } from 'lucide-react'
import { useState } from 'react'
import { can } from '../../shared/user.ts'
import { ConfirmModal } from '../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../ui/components/modal/form-modal.tsx'
import { call, reload } from '../../ui/data/call.ts'
import { useDefaultInterval } from '../../ui/data/server-config.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { useDialogForm } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { inputsOf } from '../../ui/form/fields.ts'
import { actInPieces, type Outcome } from '../../ui/table/selection/in-pieces.ts'
import type { Selection } from '../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../ui/table/selection/selection-bar.tsx'
import type { Matches } from '../../ui/table/use-rows.ts'
import { notify } from '../../ui/toasts.ts'
import type { Act } from '../contract.ts'
import { counted, outcome } from './bulk-labels.ts'
import type { PageNames } from './tool-pages.ts'

/** What can be done with the selected entries, in place of the pages. */
export function BulkBar(props: { tool: PageNames; selection: Selection; source: Matches }) {
  const { tool, selection } = props
  const ids = [...selection.ids]
  const mayGive = can(useSessionUser(), 'Tools', 2)
  const runs = useDefaultInterval(tool.id) !== undefined
  const [asking, setAsking] = useState<'delete' | 'give'>()
  const [progress, setProgress] = useState(0)
  const close = () => setAsking(undefined)
  const many = useActOnMany(tool, setProgress, ({ done }) => {
    close()
    // What was refused stays selected, to be tried again, and so does what was selected meanwhile.
    selection.toggle(done, false)
  })
  const start = (asked: Omit<Asked, 'ids'>, options: { onError?: (error: Error) => void } = {}) => {
    setProgress(0)
    many.mutate({ ...asked, ids }, options)
  }
  const busy = many.isPending
  return (
    <>
      <SelectionBar label="Selected entries" {...props} busy={busy} progress={progress}>
        <ActButton Icon={CirclePlay} disabled={busy} onClick={() => start({ act: 'activate' })}>
          Activate
        </ActButton>
        <ActButton Icon={CirclePause} disabled={busy} onClick={() => start({ act: 'pause' })}>
          Pause
        </ActButton>
        {runs && (
          <ActButton Icon={Play} disabled={busy} onClick={() => start({ act: 'run' })}>
            Run now
          </ActButton>
        )}
        {mayGive && (
          <ActButton Icon={UserRoundPen} disabled={busy} onClick={() => setAsking('give')}>
            Give to…
          </ActButton>
        )}
        <ActButton Icon={Trash2} danger disabled={busy} onClick={() => setAsking('delete')}>
          Delete…
        </ActButton>
      </SelectionBar>
      <DeleteMany
        open={asking === 'delete'}
        count={ids.length}
        noun={tool.noun}
        busy={busy}
        onClose={close}
        onDelete={() => start({ act: 'delete' })}
      />
      <GiveAway
        open={asking === 'give'}
        count={ids.length}
        busy={busy}
        onClose={close}
        onGive={(owner, onError) => start({ act: 'give', owner }, { onError })}
      />
    </>
  )
}

type Asked = { act: Act; ids: readonly string[]; owner?: string }

/** Acts on many entries and says what came of it; `onDone` hears it at the same moment, before the rows are asked for again. */
const useActOnMany = (
  { id: tool }: PageNames,
  onProgress: (count: number) => void,
  onDone: (answer: Outcome) => void,
) =>
  useMutation({
    mutationFn: ({ ids, ...asked }: Asked) =>
      actInPieces(ids, (some) => call('POST /api/v1/:tool/bulk', { tool, ...asked, ids: some }), onProgress),
    onSuccess: (answer, asked) => {
      onDone(answer)
      notify(outcome(asked, answer))
      return reload({ queryKey: ['entries', tool] })
    },
  })

/** Asks for confirmation before many entries are deleted. */
function DeleteMany(props: {
  open: boolean
  count: number
  noun: string
  busy: boolean
  onClose: () => void
  onDelete: () => void
}) {
  const { open, count, busy } = props
  const these = count === 1 ? `this ${props.noun}` : `these ${counted(count, props.noun)}`
  return (
    <ConfirmModal
      open={open}
      title={`Delete ${counted(count, 'entry')} ?`}
      description={`Are you sure you want to delete ${these}? Their history is deleted, too.`}
      no="No"
      yes="Yes, Nuke it"
      busy={busy}
      onClose={props.onClose}
      onConfirm={props.onDelete}
    />
  )
}

const nobody = { owner: '' }

/** Asks for whom the entries are given to. */
function GiveAway(props: {
  open: boolean
  count: number
  busy: boolean
  onClose: () => void
  onGive: (owner: string, onError: (error: Error) => void) => void
}) {
  const draft = useDraft(nobody)
  const form = useDialogForm({
    open: props.open,
    draft,
    body: () => draft.values.owner.trim(),
    check: (owner) => (owner === '' ? { owner: "Enter the new owner's email." } : {}),
    mutation: { isPending: props.busy, mutate: (owner, { onError }) => props.onGive(owner, onError) },
    main: 'owner',
    onSaved: props.onClose,
  })
  return (
    <FormModal
      {...form}
      title={`Give ${counted(props.count, 'entry')} to another user`}
      description="They will see and manage these entries from then on."
      verb="Give"
      onClose={props.onClose}
    >
      <TextField {...inputsOf(draft)('owner')} label="New owner's email" type="email" required autoComplete="off" />
    </FormModal>
  )
}
