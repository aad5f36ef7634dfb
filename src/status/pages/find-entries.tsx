import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../shared/title.ts'
import { Button } from '../../ui/components/button.tsx'
import { useDebounced } from '../../ui/debounce.ts'
import { TextField } from '../../ui/form/field.tsx'
import type { Shown } from '../contract.ts'
import { findQuery } from './calls.ts'
import css from './status.module.css'
import type { EntryTool } from './values.ts'

/** How many are offered at once. */
const most = 6

/** Offers the user's own entries that the page doesn't show yet. */
export function FindEntries(props: {
  chosen: readonly Shown[]
  tools: readonly EntryTool[]
  onAdd: (entries: Shown[]) => void
}) {
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim(), 200)
  const { data: found } = useQuery(findQuery(text))
  const ids = new Set(props.chosen.map(({ id }) => id))
  const others = found?.filter(({ id }) => !ids.has(id)) ?? []
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
        onText={setTyped}
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
          <None tools={props.tools} text={text} found={found.length} />
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
