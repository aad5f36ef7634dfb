import { useQuery } from '@tanstack/react-query'
import { useRefreshEvery } from '../../../ui/data/live.ts'
import { listQuery } from '../calls.ts'
import type { Item, PageNames } from '../tool-pages.ts'

const written = (count: number) => count.toLocaleString('en')

/** How many entries of a tool are at work, of those one may see, and how many rest. */
export function EntryFigure({ tool }: { tool: PageNames }) {
  const refetchInterval = useRefreshEvery()
  const { data } = useQuery({ ...listQuery<Item>(tool), refetchInterval, meta: { quiet: true } })
  if (!data) return null
  if (data.length === 0) return 'No entries yet'
  const active = data.filter(({ status }) => status).length
  const resting = data.length - active
  return (
    <>
      <b>{written(active)}</b> active
      {resting > 0 && (
        <>
          , <b>{written(resting)}</b> inactive
        </>
      )}
    </>
  )
}
