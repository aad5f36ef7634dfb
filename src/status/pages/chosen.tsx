import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { titleOf } from '../../shared/title.ts'
import { IconButton } from '../../ui/components/button.tsx'
import { useDefaultInterval } from '../../ui/data/server-config.ts'
import type { Shown } from '../contract.ts'
import css from './status.module.css'
import { type EntryTool, moved } from './values.ts'

type ChosenProps = {
  entries: readonly Shown[]
  tools: readonly EntryTool[]
  onChange: (entries: readonly Shown[]) => void
}

/** The entries of the page in their order. */
export function Chosen({ entries, tools, onChange }: ChosenProps) {
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
function ShowUrl({ entry, onChange }: { entry: Shown; onChange: (showUrl: boolean) => void }) {
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
function publicName({ name, tool }: Shown, index: number, tools: readonly EntryTool[]): string {
  const label = tools.find(({ id }) => id === tool)?.label ?? tool
  return name === null ? `${label} · Visitors see “Entry ${index + 1}”` : label
}
