import { Link } from '@tanstack/react-router'
import { ghmdinvalidatorNames } from '../../terms.ts'
import css from './check-link.module.css'

/** Leads to the screen that says why an image is old. */
export const CheckLink = () => (
  <Link to={`/tools/${ghmdinvalidatorNames.id}/check`} className={css.link}>
    Why is my image old?
  </Link>
)
