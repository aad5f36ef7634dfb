import { ChevronDown } from 'lucide-react'
import css from './table.module.css'

function searchedBy(columns: number): string {
  if (columns === 0) return ''
  return columns === 1 ? '1 search' : `${columns} searches`
}

/** On phones the head of a table, with its searches and its order, is behind this button. */
export function Fold(props: { head: string; open: boolean; searches: number; onToggle: () => void }) {
  return (
    <button
      type="button"
      className={css.fold}
      aria-expanded={props.open}
      aria-controls={props.head}
      onClick={props.onToggle}
    >
      Search and sort
      <span>{searchedBy(props.searches)}</span>
      <ChevronDown size={16} aria-hidden="true" />
    </button>
  )
}
