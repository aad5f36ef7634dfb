import { useState } from 'react'
import css from './cells.module.css'

/** Characters that fit a column as wide as columns start. */
const fits = 24

/** A long text, cut at the cell's end until somebody presses it. */
export function Unfold({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  if (text.length <= fits) return text
  return (
    <button type="button" className={css.unfold} aria-expanded={open} onClick={() => setOpen(!open)}>
      {text}
    </button>
  )
}
