import { useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { can } from '../../shared/user.ts'
import { Button } from '../../ui/components/button.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { SaveButton, warnOfMissing } from '../../ui/form/actions/save-button.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useDraft, useFollow } from '../../ui/form/draft.ts'
import { useLeaveGuard, useSaveKey } from '../../ui/form/guards.ts'
import { refuse } from '../../ui/form/refuse.ts'
import { useChange, useRemove } from './calls.ts'
import { Editor } from './editor.tsx'
import { modifyPath } from './head.tsx'
import { RunHistory } from './history/history.tsx'
import css from './pages.module.css'
import type { Common, EntryScreens, Item, Whole } from './tool-pages.ts'

/** One entry that was found: its form, its buttons, and what its runs were. */
export function EntryEditor<Row extends Item, Entry extends Whole, Settings extends object>(props: {
  screens: EntryScreens<Row, Entry, Settings>
  entry: Entry
  /** Whether the server says by now that there is no such entry. */
  isDeleted: boolean
}) {
  const { screens, entry } = props
  const { contract } = screens
  const navigate = useNavigate()
  const seesAll = can(useSessionUser(), 'Tools', 2)
  const valuesOf = (from: Entry): Settings & Common => ({
    ...screens.settingsOf(from),
    status: from.status,
    owner: from.owner,
  })
  const wordsOf = (values: Settings & Common) => ({
    ...screens.words(values),
    Owner: values.owner,
    Active: values.status ? 'On' : 'Off',
  })
  const draft = useDraft(valuesOf(entry))
  useFollow(draft, valuesOf(entry))
  const change = useChange<Settings, Entry>(contract)
  const missing = screens.missing(draft.values)
  const edits = useEdits(draft, entry)
  const save = (ifUpdatedAt = edits.began.updatedAt) => {
    if (change.isPending) return
    if (missing.length > 0) return warnOfMissing(missing)
    const wrong = screens.check(draft.values)
    draft.refuse(wrong)
    if (Object.keys(wrong).length > 0) return
    change.mutate(
      { id: entry.id, values: draft.values, ifUpdatedAt },
      {
        onSuccess: (outcome) => {
          if ('current' in outcome) return edits.choose()
          edits.close()
          draft.replace(valuesOf(outcome.saved))
        },
        onError: (error) => {
          edits.fail(error)
          refuse(draft, error)
        },
      },
    )
  }
  const toBlank = () => {
    draft.replace(valuesOf(entry))
    void navigate({ to: modifyPath(contract), search: {} })
  }
  const remove = useRemove(contract)
  const afterDelete = () => {
    draft.replace(valuesOf(entry))
    if (screens.afterDelete === 'blank') toBlank()
  }
  useLeaveGuard(draft.isChanged)
  useSaveKey(() => save())
  return (
    <>
      <ActionBar label="Entry actions" changed={draft.changed}>
        <SaveButton missing={missing} busy={change.isPending} onSave={() => save()} />
        <DeleteButton
          id={entry.id}
          noun={contract.noun}
          busy={remove.isPending}
          onDelete={(settled) => remove.mutate(entry.id, { onSuccess: afterDelete, onSettled: settled })}
        />
        <Button onClick={toBlank}>
          <RotateCcw size={15} aria-hidden="true" />
          Reset
        </Button>
      </ActionBar>
      <Conflict
        edits={edits}
        record={entry}
        noun="entry"
        mayBeHidden={!seesAll}
        isDeleted={draft.changed && props.isDeleted}
        wordsOf={(from) => wordsOf(valuesOf(from))}
        mine={wordsOf(draft.values)}
        busy={change.isPending}
        onLoad={() => draft.replace(valuesOf(entry))}
        onSave={save}
      />
      <div className={css.split}>
        <div className={css.side}>
          <Editor screens={screens} draft={draft} id={entry.id} />
          {screens.Reach && <screens.Reach entry={entry} />}
        </div>
        <div className={css.side}>
          <screens.Side entry={entry} />
          <RunHistory history={entry.history} stats={entry.stats} />
        </div>
      </div>
    </>
  )
}
