import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './warning.module.css'

/** Says in amber what somebody should know or do. */
export const Warning = ({ children }: { children: ReactNode }) => (
  <p className={css.warning}>
    <TriangleAlert size={16} aria-hidden="true" />
    <span>{children}</span>
  </p>
)
