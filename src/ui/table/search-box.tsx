import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react'
import { formatCount } from '../../shared/count.ts'
import surface from '../components/surface.module.css'
import { useDebounced } from '../debounce.ts'
import { trackOwnWrites } from '../navigation/own-writes.ts'
import chipsCss from './chips.module.css'
import css from './head.module.css'

/** Milliseconds after the last key press. */
const wait = 500

export function SearchBox(props: {
  label: string
  value: string
  error?: string | undefined
  onSearch: (text: string) => void
}) {
  const { label, value, error, onSearch } = props
  const about = useId()
  const [text, setText] = useState(value)
  const [writes] = useState(() => trackOwnWrites(value))
  const debounced = useDebounced(text, wait)
  const search = useEffectEvent(onSearch)
  useEffect(() => writes.follow(value, setText), [value, writes])
  useEffect(() => {
    if (debounced !== text || writes.isLast(text)) return
    writes.write(text)
    search(text)
  }, [debounced, text, writes])
  return (
    <>
      <input
        type="search"
        className={css.search}
        placeholder="Search…"
        aria-label={label}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? about : undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error && (
        <small id={about} className={css.refused} role="alert">
          {error}
        </small>
      )}
    </>
  )
}

/** Buttons that filter a list by one kind of row. */
export function Chips<Kind extends string>(props: {
  label: string
  kinds: Readonly<Partial<Record<Kind, string>>>
  /** The label of the chip for all rows; null for no such chip. */
  all?: string | null
  counts?: Readonly<Record<Kind | 'total', number>> | undefined
  /** The kinds of which even a single row is bad. */
  bad?: readonly Kind[]
  /** The selected kind; undefined for all rows. */
  chosen: Kind | undefined
  onChoose: (kind: Kind | undefined) => void
  children?: ReactNode
}) {
  const { kinds, counts, bad, chosen, onChoose } = props
  const { all: every = 'All' } = props
  const all = [...(every === null ? [] : [[undefined, every] as const]), ...(Object.entries(kinds) as [Kind, string][])]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div
      className={'counts' in props ? `${chipsCss.chips} ${surface.fades}` : chipsCss.chips}
      data-counted={'counts' in props || undefined}
      role="group"
      aria-label={props.label}
    >
      {all.map(([kind, text]) => {
        const count = counts?.[kind ?? 'total']
        return (
          <button
            key={text}
            type="button"
            className={chipsCss.chip}
            data-bad={(kind && count && bad?.includes(kind)) || undefined}
            aria-pressed={kind === chosen}
            onClick={() => onChoose(kind === chosen ? undefined : kind)}
          >
            {text}
            {count !== undefined && <b> {formatCount(count)}</b>}
          </button>
        )
      })}
      {props.children}
    </div>
  )
}
