import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Copy, ExternalLink, Plus, X } from 'lucide-react'
import { type Ref, useEffect, useMemo, useRef, useState } from 'react'
import { mostFound } from '../../shared/schemas/bulk.ts'
import { isVisible } from '../../shared/schemas/names.ts'
import { seconds } from '../../shared/time.ts'
import { titleOf } from '../../shared/title.ts'
import { Button, Buttons, buttonClass, IconButton, linkClass } from '../../ui/components/button.tsx'
import { copy } from '../../ui/components/copy.ts'
import { LoadFailed } from '../../ui/components/load-failed.tsx'
import { Loading } from '../../ui/components/logo.tsx'
import { PageHead, Part } from '../../ui/components/page.tsx'
import { ReachNote } from '../../ui/components/warning.tsx'
import { callQuery } from '../../ui/data/call.ts'
import { useBaseUrl, useDefaultInterval } from '../../ui/data/server-config.ts'
import { useSessionUser } from '../../ui/data/session.ts'
import { useDebounced, useSlow } from '../../ui/debounce.ts'
import { ActionBar } from '../../ui/form/actions/action-bar.tsx'
import { DeleteButton } from '../../ui/form/actions/delete-button.tsx'
import { PageForm } from '../../ui/form/actions/save-button.tsx'
import { AreaField } from '../../ui/form/area-field.tsx'
import { Conflict } from '../../ui/form/conflict/conflict.tsx'
import { useEdits } from '../../ui/form/conflict/edits.ts'
import { useEditor } from '../../ui/form/editor.ts'
import { TextField } from '../../ui/form/field.tsx'
import { type Fields, formatValues, labelledInputs, missingIn, valuesOf } from '../../ui/form/fields.ts'
import { issuesOf } from '../../ui/form/issues.ts'
import { useTitle } from '../../ui/navigation/title.ts'
import { notifySuccess } from '../../ui/toasts.ts'
import type { PageEntry, StatusPage } from '../contract.ts'
import { pageQuery, useRemovePage, useSavePage, versionOf } from './calls.ts'
import { type Draft, Preview } from './preview.tsx'
import css from './status.module.css'

export function StatusPageEditor({ tools }: { tools: readonly EntryTool[] }) {
  useTitle('Status Page')
  const query = useQuery(pageQuery)
  const { data: page, isLoading } = query
  const slow = useSlow(isLoading)
  return (
    <>
      <PageHead title="Status Page">A public page that shows how the entries you choose are doing</PageHead>
      {!page && slow && <Loading />}
      <LoadFailed card what="your status page" queries={[query]} />
      {page && <Form page={page} tools={tools} />}
    </>
  )
}

const longestText = 2_000

function Form({ page, tools }: { page: StatusPage; tools: readonly EntryTool[] }) {
  const baseUrl = useBaseUrl() ?? location.origin
  const ownerId = useSessionUser()?.id ?? null
  const record = useMemo(() => versionOf(page, ownerId), [page, ownerId])
  const edits = useEdits(record, (from) => valuesOf(pageFields, from))
  const { draft } = edits
  const { values, errors, set } = draft
  const field = labelledInputs(draft, pageFields)
  const find = useRef<HTMLInputElement>(null)
  const remove = useRemovePage()
  const saveOf = (ifUpdatedAt: number) => ({ id: record.id, ifUpdatedAt, ...bodyOf(values) })
  const editor = useEditor({
    draft,
    missing: missingIn(pageFields, values),
    body: () => saveOf(edits.began.updatedAt),
    check: async ({ id: _, ...body }) => issuesOf((await import('../contract.ts')).StatusPageBody, body),
    mutation: useSavePage(),
    onSaved: (outcome) => {
      if ('current' in outcome) return void edits.take({ current: versionOf(outcome.current, ownerId) })
      edits.take({ saved: versionOf(outcome.saved, ownerId) })
      notifySuccess(page.slug === null ? 'Your status page is public now.' : 'Successfully updated status page.')
    },
    onFailed: edits.fail,
  })
  return (
    <>
      <ActionBar label="Status page actions" editor={editor} onReset={draft.reset}>
        {page.slug !== null && (
          <DeleteButton
            id={`/status/${page.slug}`}
            noun="status page"
            busy={remove.isPending}
            onDelete={() => remove.mutateAsync()}
            onDeleted={() => {
              draft.reset()
              notifySuccess('Successfully deleted status page.')
            }}
          />
        )}
      </ActionBar>
      <Conflict
        edits={edits}
        noun="status page"
        isDeleted={page.slug === null && edits.began.slug !== null}
        formatValues={(of) => formatValues(pageFields, of)}
        busy={editor.busy}
        onLoad={draft.reset}
        onSave={(updatedAt) => void editor.send(saveOf(updatedAt))}
      />
      <PageForm>
        <div className={css.split}>
          <div className={css.form}>
            <Part aria-label="About the page">
              <h2>Page</h2>
              {page.url !== null && <Links url={page.url} />}
              <TextField
                {...field('slug')}
                code
                placeholder="my-services"
                spellCheck={false}
                autoCapitalize="none"
                autoComplete="off"
                hint={`${baseUrl}/status/${values.slug || '…'}`}
                onChange={(text) => set('slug', cleanSlug(text))}
              />
              <ReachNote url={baseUrl} others="visitors" />
              <TextField {...field('title')} maxLength={80} autoComplete="off" />
              <AreaField {...field('text')} most={longestText} />
              <p className={css.note}>
                Everyone with the address sees the public names of the entries you choose, their status, the last 90
                days, and their incidents with your notes. URLs are shown only where you turn that on.
              </p>
            </Part>
            <Part aria-label="Entries on the page">
              <h2>Entries</h2>
              {errors.entries && (
                <p className={css.error} role="alert">
                  {errors.entries}
                </p>
              )}
              <PageEntries
                entries={values.entries}
                tools={tools}
                onChange={(entries) => set('entries', entries)}
                onEmpty={() => find.current?.focus()}
              />
              {/* Last, because its results change while the user types. */}
              <FindEntries
                ref={find}
                chosen={values.entries}
                tools={tools}
                onAdd={(added) => set('entries', [...values.entries, ...added])}
              />
            </Part>
          </div>
          <Preview page={bodyOf(values)} />
        </div>
      </PageForm>
    </>
  )
}

const Links = ({ url }: { url: string }) => (
  <Buttons>
    <a className={buttonClass({ size: 'small' })} href={new URL(url).pathname} target="_blank" rel="noreferrer">
      <ExternalLink size={14} aria-hidden="true" />
      Open page
    </a>
    <Button size="small" onClick={() => void copy(url)}>
      <Copy size={14} aria-hidden="true" />
      Copy address
    </Button>
    <Button size="small" onClick={() => void copy(`${url}/feed.xml`)}>
      <Copy size={14} aria-hidden="true" />
      Copy feed
    </Button>
  </Buttons>
)

type Props = {
  entries: readonly PageEntry[]
  tools: readonly EntryTool[]
  onChange: (entries: readonly PageEntry[]) => void
  /** Called when the user removes the last entry, which had the focus. */
  onEmpty: () => void
}

type Act = 'up' | 'down' | 'remove'

function PageEntries({ entries, tools, onChange, onEmpty }: Props) {
  const list = useRef<HTMLOListElement>(null)
  // A row loses the focus when it moves in the document, is removed, or has its button disabled.
  const next = useRef<{ row: number; acts: readonly Act[] }>(undefined)
  useEffect(() => {
    if (!next.current) return
    const { row, acts } = next.current
    next.current = undefined
    const buttonOf = (act: Act) => list.current?.children[row]?.querySelector<HTMLElement>(`[data-act=${act}]:enabled`)
    acts.map(buttonOf).find(Boolean)?.focus()
  })
  if (entries.length === 0) return <p className={css.note}>Your page shows no entries yet.</p>
  return (
    <ol className={css.chosen} ref={list} aria-label="Entries on the page, in order">
      {entries.map((entry, index) => {
        const title = ownTitle(entry)
        const move = (by: -1 | 1) => {
          next.current = { row: index + by, acts: by === -1 ? ['up', 'down'] : ['down', 'up'] }
          onChange(entries.toSpliced(index, 1).toSpliced(index + by, 0, entry))
        }
        const remove = () => {
          next.current = { row: Math.min(index, entries.length - 2), acts: ['remove'] }
          onChange(entries.toSpliced(index, 1))
          if (entries.length === 1) onEmpty()
        }
        return (
          <li key={entry.id}>
            <span className={css.name}>
              <span dir="auto">{title}</span>
              <small>{tools.find(({ id }) => id === entry.tool)?.label ?? entry.tool}</small>
            </span>
            <span className={css.moves}>
              <IconButton label={`Move ${title} up`} data-act="up" disabled={index === 0} onClick={() => move(-1)}>
                <ArrowUp size={16} aria-hidden="true" />
              </IconButton>
              <IconButton
                label={`Move ${title} down`}
                data-act="down"
                disabled={index === entries.length - 1}
                onClick={() => move(1)}
              >
                <ArrowDown size={16} aria-hidden="true" />
              </IconButton>
              <IconButton label={`Remove ${title}`} data-act="remove" onClick={remove}>
                <X size={16} aria-hidden="true" />
              </IconButton>
            </span>
            <input
              className={css.public}
              aria-label={`Public name of ${title}`}
              value={entry.name ?? ''}
              maxLength={80}
              placeholder={entry.entryName ?? `Entry ${index + 1}`}
              autoComplete="off"
              onChange={({ target }) => onChange(entries.with(index, { ...entry, name: target.value || null }))}
            />
            <ShowUrl entry={entry} onChange={(showUrl) => onChange(entries.with(index, { ...entry, showUrl }))} />
          </li>
        )
      })}
    </ol>
  )
}

/** Only entries that run on a schedule have a URL that may be shown. */
function ShowUrl({ entry, onChange }: { entry: PageEntry; onChange: (showUrl: boolean) => void }) {
  if (useDefaultInterval(entry.tool) === undefined) return null
  return (
    <label className={css.url}>
      <input
        type="checkbox"
        aria-label={`Show the URL of ${ownTitle(entry)}`}
        checked={entry.showUrl}
        onChange={(event) => onChange(event.target.checked)}
      />
      Show URL
    </label>
  )
}

const ownTitle = ({ entryName, about }: PageEntry) => titleOf({ name: entryName, about })

const most = 6

function FindEntries({
  ref,
  ...props
}: {
  ref: Ref<HTMLInputElement>
  chosen: readonly PageEntry[]
  tools: readonly EntryTool[]
  onAdd: (entries: PageEntry[]) => void
}) {
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), 200)
  const { data: found, isPlaceholderData } = useQuery({
    ...callQuery('GET /api/v1/search', { text, mine: 'true' }),
    staleTime: seconds(30),
    placeholderData: (before) => before,
  })
  /** Whether the entries shown are those of the previous text. */
  const isLate = isPlaceholderData || text !== typed.trim()
  const ids = new Set(props.chosen.map(({ id }) => id))
  const others = found?.rows.filter(({ id }) => !ids.has(id)) ?? []
  const added = (rows: typeof others) =>
    props.onAdd(
      rows.map(({ id, tool, name, about }) => ({ id, tool, name: null, entryName: name, about, showUrl: false })),
    )
  return (
    <div className={css.find}>
      <TextField
        ref={ref}
        label="Find your entries"
        type="search"
        value={typed}
        placeholder="Name, URL or ID"
        autoComplete="off"
        onChange={setTyped}
      />
      {others.length > 0 && (
        <ul className={css.found} aria-label="Entries to add">
          {others.slice(0, most).map((entry) => (
            <li key={entry.id}>
              <span className={css.name}>
                <span dir="auto">{titleOf(entry)}</span>
                <small>{props.tools.find(({ id }) => id === entry.tool)?.label}</small>
              </span>
              <Button
                size="small"
                aria-label={`Add ${titleOf(entry)}`}
                disabled={isLate}
                onClick={() => added([entry])}
              >
                <Plus size={14} aria-hidden="true" />
                Add
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 1 && (
        <div>
          <Button size="small" disabled={isLate} onClick={() => added(others)}>
            <Plus size={14} aria-hidden="true" />
            Add {found?.rows.length === mostFound ? 'the first' : 'all'} {others.length}
          </Button>
        </div>
      )}
      {found && others.length === 0 && (
        <div className={css.note}>
          <None tools={props.tools} text={text} found={found.rows.length} />
        </div>
      )}
    </div>
  )
}

function None({ tools, text, found }: { tools: readonly EntryTool[]; text: string; found: number }) {
  if (found === mostFound) return `The first ${found} are on the page. Type to find others.`
  if (found > 0) return 'All of these are on the page already.'
  if (text !== '') return 'None of your entries match.'
  return (
    <>
      You don't have any entries yet. Create one:
      <ul className={css.ways}>
        {tools.map(({ id, label }) => (
          <li key={id}>
            <Link to={`/tools/${id}/create`} className={linkClass}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

type EntryTool = { id: string; label: string }
type Values = { slug: string; title: string; text: string; entries: readonly PageEntry[] }
type Body = Draft & { slug: string }

const pageFields: Fields<Values> = {
  slug: { label: 'Address', blank: '', required: true },
  title: { label: 'Title', blank: '', required: true },
  text: { label: 'Text (optional)', blank: '' },
  entries: { label: 'Entries', blank: [], show: (entries) => entries.map(describeEntry).join(', ') || 'None' },
}

function describeEntry(entry: PageEntry): string {
  const title = ownTitle(entry)
  return `${entry.name ? `${title} as “${entry.name}”` : title}${entry.showUrl ? ' (with URL)' : ''}`
}

const bodyOf = ({ slug, title, text, entries }: Values): Body => ({
  slug,
  title: title.trim(),
  text: text.trim(),
  // A page of an earlier release may have names without a visible character.
  entries: entries.map(({ tool, id, showUrl, name }) => ({
    tool,
    id,
    showUrl,
    name: name && isVisible(name) ? name.trim() : null,
  })),
})

const cleanSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .slice(0, 40)
