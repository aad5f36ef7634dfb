import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { seconds } from '../../shared/time.ts'
import { titleOf } from '../../shared/title.ts'
import { Button, IconButton } from '../../ui/components/button.tsx'
import { read } from '../../ui/data/call.ts'
import { useDefaultInterval } from '../../ui/data/server-config.ts'
import { useDebounced } from '../../ui/debounce.ts'
import { TextField } from '../../ui/form/field.tsx'
import type { PageEntry } from '../contract.ts'
import css from './status.module.css'
import { type EntryTool, moved } from './values.ts'

type Props = {
  entries: readonly PageEntry[]
  tools: readonly EntryTool[]
  onChange: (entries: readonly PageEntry[]) => void
}

/** The entries of the page in their order. */
export function PageEntries({ entries, tools, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null)
  // A row that has moved loses the focus, as its element is put elsewhere.
  const focused = useRef<string>(undefined)
  useEffect(() => {
    if (focused.current === undefined) return
    const button = [...(list.current?.querySelectorAll('button') ?? [])].find(({ title }) => title === focused.current)
    focused.current = undefined
    if (button && !button.disabled) button.focus()
  })
  if (entries.length === 0) return <p className={css.note}>Your page shows no entries yet.</p>
  return (
    <ol className={css.chosen} ref={list} aria-label="Entries on the page, in order">
      {entries.map((entry, index) => {
        const title = titleOf(entry)
        const move = (by: -1 | 1, label: string) => {
          focused.current = label
          onChange(moved(entries, index, by))
        }
        const [up, down] = [`Move ${title} up`, `Move ${title} down`]
        return (
          <li key={entry.id}>
            <span className={css.name}>
              <span dir="auto">{title}</span>
              <small>{publicName(entry, index, tools)}</small>
            </span>
            <ShowUrl entry={entry} onChange={(showUrl) => onChange(entries.with(index, { ...entry, showUrl }))} />
            <span className={css.moves}>
              <IconButton label={up} disabled={index === 0} onClick={() => move(-1, up)}>
                <ArrowUp size={16} aria-hidden="true" />
              </IconButton>
              <IconButton label={down} disabled={index === entries.length - 1} onClick={() => move(1, down)}>
                <ArrowDown size={16} aria-hidden="true" />
              </IconButton>
              <IconButton label={`Remove ${title}`} onClick={() => onChange(entries.toSpliced(index, 1))}>
                <X size={16} aria-hidden="true" />
              </IconButton>
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** Only entries that are visited on a schedule have a URL that may be shown. */
function ShowUrl({ entry, onChange }: { entry: PageEntry; onChange: (showUrl: boolean) => void }) {
  if (useDefaultInterval(entry.tool) === undefined) return null
  return (
    <label className={css.url}>
      <input
        type="checkbox"
        aria-label={`Show the URL of ${titleOf(entry)}`}
        checked={entry.showUrl}
        onChange={(event) => onChange(event.target.checked)}
      />
      Show URL
    </label>
  )
}

/** What visitors read instead of a name is worth a word. */
function publicName({ name, tool }: PageEntry, index: number, tools: readonly EntryTool[]): string {
  const label = tools.find(({ id }) => id === tool)?.label ?? tool
  return name === null ? `${label} · Visitors see “Entry ${index + 1}”` : label
}

/** How many are offered at once. */
const most = 6

/** Offers the user's own entries that the page doesn't show yet. */
export function FindEntries(props: {
  chosen: readonly PageEntry[]
  tools: readonly EntryTool[]
  onAdd: (entries: PageEntry[]) => void
}) {
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), 200)
  const { data: found } = useQuery({
    ...read('GET /api/v1/search', { text, mine: 'true' }),
    staleTime: seconds(30),
    placeholderData: (before) => before,
  })
  const ids = new Set(props.chosen.map(({ id }) => id))
  const others = found?.rows.filter(({ id }) => !ids.has(id)) ?? []
  const added = (rows: typeof others) =>
    props.onAdd(rows.map(({ id, tool, name, about }) => ({ id, tool, name, about, showUrl: false })))
  return (
    <div className={css.find}>
      <TextField
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
              <Button size="small" aria-label={`Add ${titleOf(entry)}`} onClick={() => added([entry])}>
                <Plus size={14} aria-hidden="true" />
                Add
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 1 && (
        <div>
          <Button size="small" onClick={() => added(others)}>
            <Plus size={14} aria-hidden="true" />
            Add all {others.length}
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
  if (found > 0) return 'All of these are on the page already.'
  if (text !== '') return 'None of your entries match.'
  return (
    <>
      You don't have any entries yet. Create one:
      <ul className={css.ways}>
        {tools.map(({ id, label }) => (
          <li key={id}>
            <Link to={`/tools/${id}/create`}>{label}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}
