import { useEffect, useEffectEvent, useId, useState } from 'react'
import { useDebounced } from '../../debounce.ts'
import { ownWrites } from '../../navigation/own-writes.ts'
import css from '../head.module.css'

/** Milliseconds after the last key. */
const wait = 500

/** Searches one column, half a second after the last key. */
export function SearchBox({
  label,
  value,
  error,
  onSearch,
}: {
  label: string
  value: string
  /** Why this search is refused. */
  error?: string | undefined
  onSearch: (text: string) => void
}) {
  const about = useId()
  const [text, setText] = useState(value)
  const [writes] = useState(() => ownWrites(value))
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
