import { useEffect, useRef, useState } from 'react'
import css from './head.module.css'

const debounce = 500

/** Searches one column, half a second after the last key. */
export function SearchBox({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => {
    // Somebody else changed it: going back, or a cleared filter.
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      search.current(text)
    }, debounce)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      type="search"
      className={css.search}
      placeholder="Search…"
      aria-label={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
