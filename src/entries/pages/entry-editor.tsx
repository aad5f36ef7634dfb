import { Link, useNavigate } from '@tanstack/react-router'
import { CopyPlus } from 'lucide-react'
import { Suspense, useDeferredValue } from 'react'
import { titleOf } from '../../shared/title.ts'
import { can } from '../../shared/user.ts'
import { buttonClass } from '../../ui/components/button.tsx'
import { useSessionUser } from '../../ui/data/session.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { useIsPhone } from '../../ui/media.ts'
import { lazyPart } from '../../ui/navigation/lazy.ts'
import { useChange, useRemove } from './calls.ts'
import { check } from './check.ts'
import { Editor } from './editor.tsx'
import { createPath, modifyPath } from './head.tsx'
import { Incidents } from './health/incidents.tsx'
import { RunHistory } from './history/history.tsx'
import { Uptime } from './history/uptime.tsx'
import css from './pages.module.css'
import type { Common, Detail, EntryScreens, Item } from './tool-pages.ts'

const BadgeCard = lazyPart(async () => (await import('./badge/badge-card.tsx')).BadgeCard)

/** One entry: its form, its buttons and its runs. */
export function EntryEditor<Row extends Item, Entry extends Detail, Settings extends object>(props: {
  screens: EntryScreens<Row, Entry, Settings>
  entry: Entry
  /** Whether the entry has been deleted since it was loaded. */
  isDeleted: boolean
}) {
  const { screens, entry } = props
  const { contract } = screens
  const navigate = useNavigate()
  const seesAll = can(useSessionUser(), 'Tools', 2)
  const valuesOf = (from: Entry): Settings & Common => ({
    ...screens.settingsOf(from),
    name: from.name ?? '',
    notifyAfter: from.notifyAfter,
    status: from.status,
    owner: from.owner,
  })
  const wordsOf = (values: Settings & Common) => ({
    Name: values.name || 'None',
    ...screens.words(values),
    'Notify after': values.notifyAfter === 1 ? '1 failure' : `${values.notifyAfter} failures`,
    Owner: values.owner,
    Active: values.status ? 'On' : 'Off',
  })
  const change = useChange<Settings, Entry>(contract)
  const edits = useEdits(entry, valuesOf)
  const { draft } = edits
  const bodyOf = (ifUpdatedAt: number) => ({
    id: entry.id,
    values: { ...draft.values, ...screens.complete?.(draft.values) },
    ifUpdatedAt,
  })
  const editor = useEditor({
    draft,
    missing: screens.missing(draft.values),
    body: () => bodyOf(edits.began.updatedAt),
    check: ({ values }) => check(screens, values),
    mutation: change,
    onSaved: edits.take,
    onFailed: edits.fail,
  })
  const toBlank = () => {
    draft.reset()
    void navigate({ to: modifyPath(contract), search: {} })
  }
  const remove = useRemove(contract)
  const afterDelete = screens.afterDelete === 'blank' ? toBlank : draft.reset
  // On phones, what has happened stands before the form, which is drawn once that is shown.
  const isPhone = useIsPhone()
  const isFormDue = useDeferredValue(true, !isPhone)
  const sides = (
    <div className={css.side} key="side">
      <screens.Side entry={entry} />
      <Incidents tool={contract} id={entry.id} />
      <Uptime title={screens.rate} stats={entry.stats} />
      <RunHistory history={entry.history} stats={entry.stats} words={screens} />
    </div>
  )
  return (
    <>
      <ActionBar label="Entry actions" editor={editor} onReset={toBlank}>
        <DeleteButton
          id={entry.id}
          noun={contract.noun}
          consequence={titleOf(entry) !== entry.id && <strong>{titleOf(entry)}</strong>}
          busy={remove.isPending}
          onDelete={() => remove.mutateAsync(entry.id)}
          onDeleted={afterDelete}
        />
        <Link to={createPath(contract)} search={{ from: entry.id }} className={buttonClass()}>
          <CopyPlus size={15} aria-hidden="true" />
          Duplicate
        </Link>
      </ActionBar>
      <Conflict
        edits={edits}
        noun="entry"
        title={titleOf(entry)}
        mayBeHidden={!seesAll}
        isDeleted={props.isDeleted}
        wordsOf={wordsOf}
        busy={editor.busy}
        onLoad={draft.reset}
        onSave={(updatedAt) => void editor.send(bodyOf(updatedAt))}
      />
      <div className={css.split}>
        {isPhone && sides}
        {isFormDue && (
          <div className={css.side} key="form">
            <Editor screens={screens} draft={draft} id={entry.id} />
            {screens.Reach && <screens.Reach entry={entry} />}
            <Suspense>
              <BadgeCard tool={contract} entry={entry} />
            </Suspense>
          </div>
        )}
        {!isPhone && sides}
      </div>
    </>
  )
}
