import { useState } from 'react'
import { useWords } from '../clock.ts'
import { Button } from '../components/button.tsx'
import css from './cells.module.css'
import type { Column } from './column.ts'

/** `lead` marks the column that is the title of the row on phones. */
export function Cell<Row>({ column, row, lead }: { column: Column<Row>; row: Row; lead: boolean }) {
  const value = column.tip ? column.value(row) : null
  const tip = useWords(typeof value === 'number' ? value : null, () => column.tip?.(row) ?? column.text(row))
  return (
    <td data-label={column.title} data-lead={lead || undefined} data-brief={column.brief}>
      <span className={css.truncated} dir="auto" title={tip}>
        {column.show?.(row) ?? column.text(row)}
      </span>
    </td>
  )
}

/** How many characters fit a column of the usual width. */
const fits = 24

/** A long text, truncated until it is pressed. */
export function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  if (text.length <= fits) return text
  return (
    <button type="button" className={css.unfold} aria-expanded={open} onClick={() => setOpen(!open)}>
      {text}
    </button>
  )
}

const ghosts = Array.from({ length: 6 }, (_, row) => row)
/** Placeholders while rows are loading. */
export function Skeleton({ columns }: { columns: number }) {
  return ghosts.map((row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <td key={column}>
          <div className={css.ghost} />
        </td>
      ))}
    </tr>
  ))
}

/** Shown in place of rows that could not be loaded. */
export const LoadFailed = ({ onRetry }: { onRetry: () => void }) => (
  <>
    <strong>Couldn't load this list</strong>
    <span>Your data is safe. Try loading it again.</span>
    <Button onClick={onRetry}>Try again</Button>
  </>
)

export const NoMatch = () => (
  <>
    <strong>No matches</strong>
    <span>No rows match your search.</span>
  </>
)
