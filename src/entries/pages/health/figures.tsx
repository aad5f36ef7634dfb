import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../../shared/count.ts'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { figuresQuery } from '../calls.ts'
import { listPath } from '../head.tsx'
import type { PageNames } from '../tool-pages.ts'
import css from './trouble.module.css'

/** How many of a tool's entries that the user may see are active, and how many are not. */
export function EntryFigure({ tool }: { tool: PageNames }) {
  const refetchInterval = useRefreshEvery()
  const { data } = useQuery({ ...figuresQuery(tool), refetchInterval })
  if (!data) return null
  const { active, inactive, failing, blocked } = data
  if (active + inactive === 0) return 'No entries yet'
  // What fails is told beside it, first.
  return (
    <span className={failing + blocked > 0 ? css.beside : undefined}>
      <b>{formatCount(active)}</b> active
      {inactive > 0 && (
        <>
          , <b>{formatCount(inactive)}</b> inactive
        </>
      )}
    </span>
  )
}

/** How many of a tool's entries fail or are blocked, each with a link to them. */
export function EntryTrouble({ tool }: { tool: PageNames }) {
  const { data } = useQuery(figuresQuery(tool))
  if (!data || data.failing + data.blocked === 0) return null
  return (
    <p className={css.trouble}>
      {(['failing', 'blocked'] as const).map(
        (health) =>
          data[health] > 0 && (
            <Link key={health} to={listPath(tool)} search={{ health }}>
              <b>{formatCount(data[health])}</b> {health}
            </Link>
          ),
      )}
    </p>
  )
}
