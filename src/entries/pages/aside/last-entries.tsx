import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { titleOf } from '../../../shared/title.ts'
import { Card } from '../../../ui/components/page/page.tsx'
import { lastEntriesQuery } from '../calls.ts'
import { modifyPath } from '../head.tsx'
import { HealthPill } from '../health/status.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './last-entries.module.css'

/** The newest entries, for whoever doesn't know the ID of the one they look for. */
export function LastEntries({ tool }: { tool: PageNames }) {
  const { data: rows = [] } = useQuery(lastEntriesQuery(tool))
  if (rows.length === 0) return null
  return (
    <Card className={css.last} aria-label="Newest entries">
      <h2>Newest entries</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Link to={modifyPath(tool)} search={{ id: row.id }} className={css.row}>
              <span className={css.name} dir="auto">
                {titleOf(row)}
              </span>
              <HealthPill row={row} />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
