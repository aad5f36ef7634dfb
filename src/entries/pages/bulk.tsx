import { useMutation } from '@tanstack/react-query'
import { CirclePause, CirclePlay, Copy, CopyPlus, Ellipsis, Link2, Play, Trash2, UserRoundPen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { mostIds } from '../../shared/schemas/bulk.ts'
import { can } from '../../shared/user.ts'
import { iconButtonClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import type { MenuEntry } from '../../ui/components/menu/menu.ts'
import { MenuPopup } from '../../ui/components/menu/menu-popup.tsx'
import { ConfirmModal } from '../../ui/components/modal/confirm-modal.tsx'
import { FormModal } from '../../ui/components/modal/form-modal.tsx'
import { reason } from '../../ui/data/api.ts'
import { call, reload } from '../../ui/data/call.ts'
import { useDefaultInterval } from '../../ui/data/server-config.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { noteEdits } from '../../ui/form/conflict/edits.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { useDialogForm } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { inputsOf } from '../../ui/form/fields.ts'
import { useIsPhone } from '../../ui/media.ts'
import type { Source } from '../../ui/table/model.ts'
import { type Outcome, runInBatches } from '../../ui/table/selection/batches.ts'
import type { Selection } from '../../ui/table/selection/selection.ts'
import { ActButton, SelectionBar } from '../../ui/table/selection/selection-bar.tsx'
import type { MatchingRows } from '../../ui/table/use-rows.ts'
import { type Note, notify, notifyError } from '../../ui/toasts.ts'
import type { Act } from '../contract.ts'
import { bulkOutcomeNote, namesOf, pluralize } from './bulk-labels.ts'
import { createPath } from './head.tsx'
import type { EntryScreens, Item, PageNames } from './tool-pages.ts'

type BulkOptions = Omit<BulkRequest, 'ids'>
type HasRuns = EntryScreens['hasRuns']

/** The act whose dialog is open. */
type Asking = 'delete' | 'give' | undefined
type SetAsking = (change: (now: Asking) => Asking) => void

/**
 * The acts that the user may perform on these entries, and the dialogs for some acts, which name those in `entries`.
 * Calls `onDone` when the result is shown in a toast, before the rows reload.
 */
function useActs(
  tool: PageNames,
  ids: readonly string[],
  options: {
    entries: readonly Item[]
    hasRuns: HasRuns
    asking: Asking
    setAsking: SetAsking
    onProgress?: (count: number) => void
    onDone?: (answer: Outcome) => void
  },
) {
  const { entries, hasRuns, asking, setAsking, onProgress = () => {}, onDone = () => {} } = options
  const mayGive = can(useSessionUser(), 'Tools', 2)
  const without = new Set(entries.flatMap((row) => (hasRuns?.(row) === false ? [row.id] : [])))
  const runs = useDefaultInterval(tool.id) !== undefined && !ids.every((id) => without.has(id))
  const close = () => setAsking(() => undefined)
  const many = useMutation({
    mutationFn: (request: BulkRequest) => bulkAct(tool.id, request, onProgress),
    onSuccess: (answer, request) => {
      // Don't close another dialog that was opened in the meantime.
      setAsking((now) => (now === request.act ? undefined : now))
      onDone(answer)
      notify({ ...bulkOutcomeNote(request, answer, entries), ...undo(tool.id, request, answer, entries) })
      return reloadAfter(tool.id)
    },
  })
  const start = (request: BulkOptions, more: { onError?: (error: Error) => void } = {}) => {
    onProgress(0)
    many.mutate({ ...request, ids }, more)
  }
  const question = { count: ids.length, names: namesOf(ids, entries), busy: many.isPending, onClose: close }
  const dialogs = (
    <>
      <DeleteMany
        {...question}
        open={asking === 'delete'}
        title={ids.length === 1 ? <code>{ids[0]}</code> : pluralize(ids.length, 'entry')}
        noun={tool.noun}
        onDelete={() => start({ act: 'delete' })}
      />
      <ChangeOwner
        {...question}
        open={asking === 'give'}
        onGive={(owner, onError) => start({ act: 'give', owner }, { onError })}
      />
    </>
  )
  const acts = {
    activate: { label: 'Activate', Icon: CirclePlay, act: () => start({ act: 'activate' }) },
    pause: { label: 'Pause', Icon: CirclePause, act: () => start({ act: 'pause' }) },
    run: runs && { label: 'Run now', Icon: Play, act: () => start({ act: 'run' }) },
    give: mayGive && { label: 'Change owner…', Icon: UserRoundPen, act: () => setAsking(() => 'give') },
    remove: { label: 'Delete…', Icon: Trash2, act: () => setAsking(() => 'delete') },
  }
  return { acts, busy: many.isPending, dialogs }
}

export function BulkBar(props: {
  tool: PageNames
  hasRuns: HasRuns
  selection: Selection
  source: Source<Item> & MatchingRows
}) {
  const { tool, hasRuns, selection, source } = props
  const [progress, setProgress] = useState(0)
  const [asking, setAsking] = useState<Asking>()
  const { acts, busy, dialogs } = useActs(tool, [...selection.ids], {
    entries: source.rows ?? [],
    hasRuns,
    asking,
    setAsking,
    onProgress: setProgress,
    // Refused entries stay selected for another try, and so do entries selected in the meantime.
    onDone: ({ done }) => selection.toggle(done, false),
  })
  return (
    <>
      <SelectionBar label="Selected entries" {...props} busy={busy} progress={progress}>
        {Object.values(acts).map(
          (one) =>
            one && (
              <ActButton key={one.label} Icon={one.Icon} danger={one === acts.remove} disabled={busy} onClick={one.act}>
                {one.label}
              </ActButton>
            ),
        )}
      </SelectionBar>
      {dialogs}
    </>
  )
}

/** The row whose menu was used last, and the dialog that it has opened. */
export type AskedRow = { row: Item; asking: Asking }
type RowProps = { row: Item & { url?: unknown }; tool: PageNames; hasRuns: HasRuns }
type SetAskedRow = (change: (now: AskedRow | undefined) => AskedRow | undefined) => void

/** Changes the dialog of this row; the dialog that another row has opened since stays. */
const setAskingOf =
  (row: Item, setAsked: SetAskedRow): SetAsking =>
  (change) =>
    setAsked((now) => {
      const before = now?.row.id === row.id ? now.asking : undefined
      const asking = change(before)
      return asking === before ? now : { row, asking }
    })

/** The dialogs of row menus. Their page renders them: a live change may remove the row or move it to another page. */
export function RowDialogs(props: RowProps & { asking: Asking; setAsked: SetAskedRow }) {
  const { row, tool, hasRuns, asking, setAsked } = props
  return useActs(tool, [row.id], { entries: [row], hasRuns, asking, setAsking: setAskingOf(row, setAsked) }).dialogs
}

/** The menu of a row's acts that have no button of their own. `clicks` is the `detail` of the click that opened it. */
export function RowMenu(props: RowProps & { clicks: number; setAsked: SetAskedRow }) {
  const { row, tool, hasRuns, clicks, setAsked } = props
  const { id, status, url } = row
  const isPhone = useIsPhone()
  const setAsking = setAskingOf(row, setAsked)
  const { acts } = useActs(tool, [id], { entries: [row], hasRuns, asking: undefined, setAsking })
  const entries: (MenuEntry | false)[] = [
    isPhone && { label: 'Copy ID', Icon: Copy, act: () => void copy(id) },
    acts.run,
    status ? acts.pause : acts.activate,
    { label: 'Duplicate', Icon: CopyPlus, to: createPath(tool), search: { from: id } },
    typeof url === 'string' && { label: 'Copy URL', Icon: Link2, act: () => void copy(url) },
    acts.give,
    { ...acts.remove, isDangerous: true, hasSeparator: true },
  ]
  return (
    <MenuPopup
      className={iconButtonClass}
      label="More"
      entries={entries.filter((entry) => entry !== false)}
      align="end"
      clicks={clicks}
      focused
    >
      <Ellipsis size={15} aria-hidden="true" />
    </MenuPopup>
  )
}

type BulkRequest = { act: Act; ids: readonly string[]; owner?: string; ifUpdatedAt?: Readonly<Record<string, number>> }

const reloadAfter = (tool: string) => reload({ queryKey: ['entries', tool] }, 'GET /api/v1/user/progress')

/** Requests runs in the largest pieces, since the server starts them at a limited rate itself. */
const bulkAct = (tool: string, { ids, ...options }: BulkRequest, onProgress: (count: number) => void) =>
  runInBatches(
    ids,
    (batch) => call('POST /api/v1/:tool/bulk', { tool, ...options, ids: batch }),
    onProgress,
    options.act === 'run' ? mostIds : undefined,
  )

const inverses: Partial<Record<Act, Act>> = { pause: 'activate', activate: 'pause' }

/** The button that undoes the act for entries that haven't been edited since. */
function undo(
  tool: string,
  { act }: BulkRequest,
  { updatedAt = {} }: Outcome,
  entries: readonly Item[],
): Pick<Note, 'act' | 'key'> {
  const inverse = inverses[act]
  const ids = Object.keys(updatedAt)
  if (!inverse || ids.length === 0) return {}
  const request = { act: inverse, ids, ifUpdatedAt: updatedAt }
  const run = async () => {
    try {
      const answer = await bulkAct(tool, request, () => {})
      // One of the entries may be open in a form by now.
      noteEdits(answer.updatedAt)
      notify(bulkOutcomeNote(request, answer, entries))
    } catch (error) {
      notifyError(reason(error))
    }
    await reloadAfter(tool)
  }
  // A toast of its own, even if the same was done to as many other entries, or to one of the same name.
  return { key: `${act} ${ids}`, act: { label: 'Undo', run: () => void run() } }
}

type Question = { open: boolean; count: number; names: string; busy: boolean; onClose: () => void }

function DeleteMany({
  title,
  noun,
  names,
  count,
  ...props
}: Question & { title: ReactNode; noun: string; onDelete: () => void }) {
  const these = count === 1 ? `this ${noun}? Its` : `these ${pluralize(count, noun)}? Their`
  return (
    <ConfirmModal
      {...props}
      title={<>Delete {title} ?</>}
      description={
        <>
          {`Are you sure you want to delete ${these} history is deleted, too.`}
          <br />
          <strong>{names}</strong>
        </>
      }
      no="No"
      yes="Yes, Nuke it"
      count={count}
      onConfirm={props.onDelete}
    />
  )
}

const nobody = { owner: '' }

function ChangeOwner(props: Question & { onGive: (owner: string, onError: (error: Error) => void) => void }) {
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
      title={`Change the owner of ${pluralize(props.count, 'entry')}`}
      description={
        <>
          <strong>{props.names}</strong>
          <br />
          The new owner will see and manage them. They disappear from status pages, their badges get new URLs, and the
          values of their headers and keys are cleared.
        </>
      }
      verb="Change owner"
      onClose={props.onClose}
    >
      <TextField {...inputsOf(draft)('owner')} label="New owner's email" type="email" required autoComplete="off" />
    </FormModal>
  )
}
