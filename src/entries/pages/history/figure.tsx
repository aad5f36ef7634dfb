import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../../../shared/count.ts'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { figuresQuery } from '../calls.ts'
import trouble from '../health/trouble.module.css'
import type { PageNames } from '../tool-pages.ts'

/** How many of a tool's entries that the user may see are active, and how many are not. */
export function EntryFigure({ tool }: { tool: PageNames }) {
  const refetchInterval = useRefreshEvery()
  const { data } = useQuery({ ...figuresQuery(tool), refetchInterval })
  if (!data) return null
  const { active, inactive, failing, blocked } = data
  if (active + inactive === 0) return 'No entries yet'
  // What fails is told beside it, first.
  return (
    <span className={failing + blocked > 0 ? trouble.beside : undefined}>
      <b>{formatCount(active)}</b> active
      {inactive > 0 && (
        <>
          , <b>{formatCount(inactive)}</b> inactive
        </>
      )}
    </span>
  )
}
