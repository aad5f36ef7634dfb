import type { ReactNode } from 'react'
import css from './action-bar.module.css'
import { SaveNote } from './save-note.tsx'

/** The buttons above a form; on phones they stay under the header. */
export function ActionBar({ label, changed, children }: { label: string; changed: boolean; children: ReactNode }) {
  return (
    <div className={css.actions} role="toolbar" aria-label={label}>
      {children}
      <span className={css.changed} role="status">
        {changed && 'Unsaved changes'}
      </span>
      <SaveNote />
    </div>
  )
}
