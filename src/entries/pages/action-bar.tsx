import type { ReactNode } from 'react'
import css from './pages.module.css'

/** The buttons above a form; on phones they stay under the header. */
export function ActionBar({ changed, children }: { changed: boolean; children: ReactNode }) {
  return (
    <div className={css.actions} role="toolbar" aria-label="Entry actions">
      {children}
      <span className={css.changed} role="status">
        {changed && 'Unsaved changes'}
      </span>
    </div>
  )
}
