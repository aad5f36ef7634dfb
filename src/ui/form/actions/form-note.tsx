import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './form-note.module.css'

/** Says what prevents a save, in the form's bar of buttons or right below it. */
export const FormNote = ({ below, children }: { below?: boolean; children: ReactNode }) => (
  <div className={css.note} data-below={below}>
    <TriangleAlert size={16} aria-hidden="true" />
    {children}
  </div>
)
