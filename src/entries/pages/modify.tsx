import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CopyPlus } from 'lucide-react'
import { Suspense, useDeferredValue } from 'react'
import { titleOf } from '../../shared/title.ts'
import { can } from '../../shared/user.ts'
import { buttonClass } from '../../ui/components/button.tsx'
import { Loading } from '../../ui/components/logo.tsx'
import { Card } from '../../ui/components/page.tsx'
import { statusOf } from '../../ui/data/api.ts'
import { useRefreshEvery } from '../../ui/data/live.ts'
import { foundBy, notFoundBy } from '../../ui/data/query.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { missingIn, valuesOf, wordsOf } from '../../ui/form/fields.ts'
import { FindForm } from '../../ui/form/find-form.tsx'
import { useIsPhone } from '../../ui/media.ts'
import { lazyPart } from '../../ui/navigation/lazy.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { entryQuery, lastEntriesQuery, useChange, useRemove } from './calls.ts'
import { fieldsWith } from './common-fields.ts'
import { check, Editor } from './editor.tsx'
import { createPath, modifyPath, ToolHead } from './head.tsx'
import { RunHistory } from './health/history.tsx'
import { Incidents } from './health/incidents.tsx'
import { EntryStatus, useWhy } from './health/status.tsx'
import { Uptime } from './health/uptime.tsx'
import css from './pages.module.css'
import type { Detail, EntryScreens, Item, PageNames } from './tool-pages.ts'

/** Finds an entry by its id, to edit, run or delete it. */
export function ModifyPage<Row extends Item, Entry extends Detail, Settings extends object>({
  screens,
}: {
  screens: EntryScreens<Row, Entry, Settings>
}) {
  const { contract } = screens
  const navigate = useNavigate()
  const { id }: { id?: string } = useSearch({ strict: false })
  const refetchInterval = useRefreshEvery()
  const query = useQuery({
    ...entryQuery<Entry>(contract, id ?? ''),
    enabled: Boolean(id),
    refetchInterval: (asked) => (asked.state.status === 'error' ? false : refetchInterval),
  })
  // The form to find another entry stays while one that could not be loaded is asked for again.
  const isLoading = query.isLoading && query.errorUpdateCount === 0
  const slow = useSlow(isLoading)
  const find = (wanted: string) => {
    if (wanted === id) void query.refetch()
    else void navigate({ to: modifyPath(contract), search: { id: wanted } })
  }
  const entry = id ? foundBy(query) : undefined
  useTitle(entry ? titleOf(entry) : `Modify ${contract.label}`)
  return (
    <>
      <ToolHead
        tool={contract}
        title={entry ? titleOf(entry) : 'Modify'}
        {...((entry || isLoading) && { status: entry && <EntryStatus entry={entry} tool={contract} size="l" /> })}
      >
        {entry && <Why entry={entry} />}
        {!entry && (isLoading ? '\u00a0' : 'Find an entry by its ID to edit or delete it.')}
      </ToolHead>
      {entry && (
        <EntryEditor key={entry.id} screens={screens} entry={entry} isDeleted={statusOf(query.error) === 404} />
      )}
      {!entry && isLoading && slow && <Loading />}
      {!entry && !isLoading && (
        <>
          <FindForm key={id} label="Enter your ID" wanted={id ?? ''} error={notFoundBy(query)} onFind={find} />
          <LastEntries tool={contract} />
        </>
      )}
    </>
  )
}

/** On one line, so that nothing moves when it comes. */
function Why({ entry }: { entry: Detail }) {
  const why = useWhy(entry)
  return (
    <span className={css.why} title={why}>
      {why ?? 'Edit this entry, see its history, or delete it.'}
    </span>
  )
}

/** The newest entries, for users who don't know the ID of the one they look for. */
function LastEntries({ tool }: { tool: PageNames }) {
  const { data: rows = [] } = useQuery(lastEntriesQuery(tool))
  if (rows.length === 0) return null
  return (
    <Card className={css.last} aria-label="Newest entries">
      <h2>Newest entries</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Link to={modifyPath(tool)} search={{ id: row.id }} className={css.row}>
              <span className={css.name} dir="auto">
                {titleOf(row)}
              </span>
              <EntryStatus entry={row} tool={tool} size="s" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const BadgeCard = lazyPart(async () => (await import('./badge-card.tsx')).BadgeCard)

/** One entry: its form, its buttons and its runs. */
function EntryEditor<Row extends Item, Entry extends Detail, Settings extends object>(props: {
  screens: EntryScreens<Row, Entry, Settings>
  entry: Entry
  /** Whether the entry has been deleted since it was loaded. */
  isDeleted: boolean
}) {
  const { screens, entry } = props
  const { contract } = screens
  const navigate = useNavigate()
  const seesAll = can(useSessionUser(), 'Tools', 2)
  const fields = fieldsWith(screens.fields)
  const change = useChange<Settings, Entry>(contract)
  const edits = useEdits(entry, (from) => valuesOf(fields, from))
  const { draft } = edits
  const bodyOf = (ifUpdatedAt: number) => ({
    id: entry.id,
    values: { ...draft.values, ...screens.complete?.(draft.values) },
    ifUpdatedAt,
  })
  const editor = useEditor({
    draft,
    missing: missingIn(fields, draft.values),
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
  const remove = useRemove()
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
          consequence={<strong>{titleOf(entry)}</strong>}
          busy={remove.isPending}
          onDelete={() => remove.mutateAsync({ tool: contract.id, id: entry.id })}
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
        wordsOf={(values) => wordsOf(fields, values)}
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
