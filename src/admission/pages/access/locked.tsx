import { Lock } from 'lucide-react'
import css from './access.module.css'

/** Shown on the card of a tool that the user may not use. */
export const Locked = () => (
  <span className={css.locked}>
    <Lock size={14} aria-hidden="true" />
    No access
  </span>
)
