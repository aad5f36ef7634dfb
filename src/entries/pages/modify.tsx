import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, Suspense, useDeferredValue, useEffect } from 'react'
import { titleOf } from '../../shared/title.ts'
import { can } from '../../shared/user.ts'
import { Loading } from '../../ui/components/logo.tsx'
import { Card, PageHead } from '../../ui/components/page.tsx'
import { statusOf } from '../../ui/data/api.ts'
import { useRefetchInterval } from '../../ui/data/live.ts'
import { formRecordOf, notFoundMessage } from '../../ui/data/query.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { PageForm } from '../../ui/form/actions/save-button.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { formatValues, missingIn, valuesOf } from '../../ui/form/fields.ts'
import { FindForm } from '../../ui/form/find-form.tsx'
import { pendingInputFor } from '../../ui/form/hand-over.ts'
import { lazyPart } from '../../ui/navigation/lazy.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { entryQuery, incidentsQuery, lastEntriesQuery, useChange, useRemove } from './calls.ts'
import { Details } from './details.tsx'
import { Editor, validateEntry, withCommonFields } from './editor.tsx'
import { Acts, Facts } from './facts.tsx'
import { lastList, modifyPath, ToolHead } from './head.tsx'
import { Chart } from './health/chart.tsx'
import { RunHistory } from './health/history.tsx'
import { OpenIncident, PastIncidents } from './health/incidents.tsx'
import { EntryStatus } from './health/status.tsx'
import css from './pages.module.css'
import type { Detail, EntryScreens, PageNames } from './tool-pages.ts'

export function ModifyPage({ screens }: { screens: EntryScreens }) {
  const { contract } = screens
  const navigate = useNavigate()
  const { id }: { id?: string } = useSearch({ strict: false })
  const refetchInterval = useRefetchInterval()
  const query = useQuery({
    ...entryQuery(contract, id ?? ''),
    enabled: Boolean(id),
    refetchInterval,
  })
  // Keep the find form while an entry that could not be loaded is requested again.
  const isLoading = query.isLoading && query.errorUpdateCount === 0
  const slow = useSlow(isLoading)
  const find = (wanted: string) => {
    if (wanted === id) void query.refetch()
    else void navigate({ to: modifyPath(contract), search: { id: wanted } })
  }
  const entry = id ? formRecordOf(query) : undefined
  const isUntitled = entry?.name === null && entry.about === ''
  const hasRuns = Boolean(entry && (screens.hasRuns?.(entry) ?? true))
  const title = entry && ((isUntitled && screens.untitled?.(entry)) || titleOf(entry))
  useTitle(title ?? `Modify ${contract.label}`)
  if (!entry && !isLoading)
    return (
      <>
        <ToolHead tool={contract} title="Modify">
          Find an entry by its ID to edit or delete it.
        </ToolHead>
        <FindForm key={id} label="Enter your ID" wanted={id ?? ''} error={notFoundMessage(query)} onFind={find} />
        <LastEntries tool={contract} />
      </>
    )
  return (
    <>
      <PageHead
        above={{ ...lastList(contract), label: contract.label }}
        title={title ?? 'Modify'}
        oneLine
        status={entry && <EntryStatus entry={entry} tool={contract} size="l" />}
        acts={entry && <Acts tool={contract} entry={entry} hasRuns={hasRuns} Act={screens.Act} />}
      >
        {entry ? (
          <Facts entry={entry} run={screens.run} subject={screens.subject?.(entry)} hasRuns={hasRuns} />
        ) : (
          '\u00a0'
        )}
      </PageHead>
      {entry && title !== undefined && (
        <EntryPage
          key={entry.id}
          screens={screens}
          entry={entry}
          title={title}
          isDeleted={statusOf(query.error) === 404}
        />
      )}
      {!entry && slow && <Loading />}
    </>
  )
}

/** For users who don't know an ID. */
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

type Props = {
  screens: EntryScreens
  entry: Detail
  title: string
  /** Set if the entry was deleted after it was loaded. */
  isDeleted: boolean
}

const parts = { overview: 'Overview', settings: 'Settings', share: 'Share' }

function EntryPage(props: Props) {
  const { screens, entry } = props
  // Render the form only after the overview is shown, unless somebody types in the form that created the entry.
  const isFormDue = useDeferredValue(true, pendingInputFor(entry.id) !== undefined)
  const hash = useLocation({ select: (location) => location.hash })
  // The part that the hash names is rendered by now.
  useEffect(() => {
    if (isFormDue && hash) document.getElementById(hash)?.scrollIntoView()
  }, [isFormDue, hash])
  return (
    <>
      <nav className={css.anchors} aria-label="On this page">
        {Object.entries(parts).map(([id, label]) => (
          <Link
            key={id}
            to="."
            search={true}
            hash={id}
            activeOptions={{ includeHash: true }}
            aria-current={hash === '' && id === 'overview' ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Overview screens={screens} entry={entry} />
      {isFormDue && (
        <>
          <FormPart {...props} />
          <Share screens={screens} entry={entry} />
        </>
      )}
    </>
  )
}

const PartOfPage = ({ id, children }: { id: keyof typeof parts; children: ReactNode }) => (
  <section id={id} className={css.part} aria-label={parts[id]}>
    {children}
  </section>
)

type Of = Pick<Props, 'screens' | 'entry'>

function Overview({ screens, entry }: Of) {
  const { contract, Log, hasRuns } = screens
  const refetchInterval = useRefetchInterval()
  const incidents = useInfiniteQuery({ ...incidentsQuery(contract, entry.id), refetchInterval })
  const { data = [], isPending } = incidents
  const own = screens.Overview && <screens.Overview entry={entry} />
  const isBare = hasRuns?.(entry) === false && entry.history.length === 0
  const runs = isBare ? own : <RunHistory history={entry.history} counted={screens.counted} />
  return (
    <PartOfPage id="overview">
      {isPending && <div aria-busy="true" hidden />}
      <OpenIncident entry={entry} incident={data.find(({ closedAt }) => closedAt === null)} />
      {!isBare && own}
      {!Log && !isBare && <Chart history={entry.history} stats={entry.stats} words={screens} />}
      <div className={css.beside}>
        {Log ? <Log entry={entry} /> : runs}
        <div className={css.side}>
          <Details tool={contract.id} entry={entry}>
            {screens.Details && <screens.Details entry={entry} />}
          </Details>
          <PastIncidents incidents={data.filter(({ closedAt }) => closedAt !== null)} query={incidents} />
        </div>
      </div>
    </PartOfPage>
  )
}

function FormPart(props: Props) {
  const { screens, entry, title } = props
  const { contract } = screens
  const navigate = useNavigate()
  const seesAll = can(useSessionUser(), 'Tools', 2)
  const fields = withCommonFields(screens.fields)
  const change = useChange(contract)
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
    check: ({ values }) => validateEntry(screens, values),
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
  return (
    <PartOfPage id="settings">
      <ActionBar title="Settings" label="Entry actions" editor={editor} onReset={toBlank}>
        <DeleteButton
          id={entry.id}
          noun={contract.noun}
          consequence={<strong>{title}</strong>}
          busy={remove.isPending}
          onDelete={() => remove.mutateAsync({ tool: contract.id, id: entry.id })}
          onDeleted={afterDelete}
        />
      </ActionBar>
      <Conflict
        edits={edits}
        noun="entry"
        title={title}
        mayBeHidden={!seesAll}
        isDeleted={props.isDeleted}
        formatValues={(values) => formatValues(fields, values)}
        busy={editor.busy}
        onLoad={draft.reset}
        onSave={(updatedAt) => void editor.send(bodyOf(updatedAt))}
      />
      <PageForm>
        <Editor screens={screens} draft={draft} entry={entry} />
      </PageForm>
    </PartOfPage>
  )
}

const BadgeCard = lazyPart(async () => (await import('./badge-card.tsx')).BadgeCard)

const Share = ({ screens: { contract, Reach, OnStatusPage }, entry }: Of) => (
  <PartOfPage id="share">
    <h2>Share</h2>
    <div className={css.split}>
      <Suspense>
        <BadgeCard tool={contract} entry={entry} />
      </Suspense>
      <div className={css.side}>
        {Reach && <Reach entry={entry} />}
        {OnStatusPage && (
          <Suspense>
            <OnStatusPage entry={entry} />
          </Suspense>
        )}
      </div>
    </div>
  </PartOfPage>
)
