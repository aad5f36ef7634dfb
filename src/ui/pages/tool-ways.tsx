import { Link } from '@tanstack/react-router'
import { List, Plus } from 'lucide-react'
import { iconButtonClass } from '../components/button.tsx'
import type { Ways } from '../components/menu/menu.ts'
import css from './tool-ways.module.css'

/** On the card of a tool: to its list, and to a new entry. */
export const ToolWays = ({ ways, label }: { ways: Ways; label: string }) => (
  <span className={css.ways}>
    <Link
      to={ways.list}
      className={iconButtonClass}
      aria-label="All entries"
      aria-description={label}
      title="All entries"
    >
      <List size={17} aria-hidden="true" />
    </Link>
    <Link
      to={ways.create}
      className={iconButtonClass}
      aria-label="New entry"
      aria-description={label}
      title="New entry"
    >
      <Plus size={17} aria-hidden="true" />
    </Link>
  </span>
)
